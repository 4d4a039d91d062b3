/** The browser's side of passkeys: what the server says in base64url, the browser has in bytes. */
import type { z } from "zod";
import type { assertionInput } from "../../src/features/people/passkeys.contract.ts";
import { PlainFailure } from "../../src/kernel/failure-plain.ts";
import { api } from "./client.ts";
import { beginPasskey, beginPasskeySignIn, createPasskey } from "./sign-in-endpoints.ts";
import { enter, plain } from "./session.ts";

/** Said where a person chose nothing, or has nothing to choose. */
export const NOTHING_CHOSEN =
  "Nothing was chosen. A device without a passkey for this server needs another way in.";

/** Whether the browser left it at that. */
export function isUnchosen(error: unknown): boolean {
  return error instanceof DOMException;
}

/** Signs in by a passkey that the person chooses. Throws what browser and server throw. */
export async function enterByPasskey(): Promise<void> {
  await enter({ passkey: await answered(await plain.call(beginPasskeySignIn, {})) });
}

/** The answer of the passkey that the person chooses. */
async function answered(
  { challenge, rp_id }: { challenge: string; rp_id: string },
): Promise<z.input<typeof assertionInput>> {
  const given = await navigator.credentials.get({
    publicKey: { challenge: bytes(challenge), rpId: rp_id, userVerification: "required" },
  });
  if (!isPublicKey(given)) throw new DOMException(NOTHING_CHOSEN);
  // as: what a challenge is answered with.
  const response = given.response as AuthenticatorAssertionResponse;
  const { clientDataJSON, authenticatorData, signature, userHandle } = response;
  return {
    id: given.id,
    client_data: text(clientDataJSON),
    authenticator_data: text(authenticatorData),
    signature: text(signature),
    ...userHandle ? { user_handle: text(userHandle) } : {},
  };
}

/** A challenge of the server's, answered by a passkey of the person for what it asks. */
export async function signedBy<Given extends { nonce: string; challenge: string; rp_id: string }>(
  given: Given,
  refused: string,
): Promise<z.input<typeof assertionInput> & { nonce: string }> {
  try {
    return { nonce: given.nonce, ...await answered(given) };
  } catch (error) {
    throw isUnchosen(error) ? new PlainFailure("signature_required", { message: refused }) : error;
  }
}

/** Makes a passkey of whoever is signed in. Throws the browser's and the server's failures. */
export async function makePasskey(name: string): Promise<void> {
  const { ticket, challenge, rp_id, user_handle, user_name, display_name, algorithms } = await api
    .call(beginPasskey, {});
  const made = await navigator.credentials.create({
    publicKey: {
      challenge: bytes(challenge),
      rp: { id: rp_id, name: "Keydesk" },
      user: { id: bytes(user_handle), name: user_name, displayName: display_name },
      pubKeyCredParams: algorithms.map((alg) => ({ type: "public-key" as const, alg })),
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      attestation: "none",
    },
  });
  if (!isPublicKey(made)) throw new DOMException(NOTHING_CHOSEN);
  // as: what is made answers so.
  const { clientDataJSON, attestationObject } = made.response as AuthenticatorAttestationResponse;
  const answer = { client_data: text(clientDataJSON), attestation: text(attestationObject) };
  await api.call(createPasskey, { body: { name, ticket, id: made.id, ...answer } });
}

function isPublicKey(one: Credential | null): one is PublicKeyCredential {
  return one !== null && one.type === "public-key";
}

function bytes(encoded: string): Uint8Array<ArrayBuffer> {
  const plainText = atob(encoded.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plainText, (sign) => sign.charCodeAt(0));
}

function text(buffer: ArrayBuffer): string {
  const signs = String.fromCharCode(...new Uint8Array(buffer));
  return btoa(signs).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
