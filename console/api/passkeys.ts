/** The browser's side of passkeys: what the server says in base64url, the browser has in bytes. */
import type { z } from "zod";
import type { assertionInput } from "../../src/features/access/passkeys.contract.ts";
import type { challengeForKeyRequest as begun } from "../../src/features/key-requests/signature.contract.ts";
import type { signatureInput } from "../../src/features/key-requests/signature-input.contract.ts";
import { PlainFailure } from "../../src/kernel/failure-plain.ts";
import { api, codeOf } from "./client.ts";
import {
  beginPasskey,
  beginPasskeySignIn,
  challengeForKeyRequest,
  createPasskey,
} from "./sign-in-endpoints.ts";
import { enter, known, plain } from "./session.ts";

/** What says yes to a decision. */
export type Signature = z.input<typeof signatureInput>;

/** Said where a person chose nothing, or has nothing to choose. */
export const NOTHING_CHOSEN =
  "Nothing was chosen. A device without a passkey for this desk needs another way in.";

/** Whether the browser left it at that. */
export function isUnchosen(error: unknown): boolean {
  return error instanceof DOMException;
}

/** Signs in by a passkey that the person chooses. Throws what browser and server throw. */
export async function enterByPasskey(): Promise<void> {
  await enter({ passkey: await answered(await plain.call(beginPasskeySignIn, {})) });
}

/** What a passkey that the person chooses answers. */
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

/** What a decision grants, as the server is asked for its challenge. */
export type Terms = z.input<typeof begun.body & z.ZodType>;

/**
 * Sends a decision on a request, signed by a passkey of the person where the organisation wants it.
 * `headers`: those of the decision. What was signed is sent again with the same headers, until the
 * server has answered. Throws what browser and server throw.
 */
export async function signedWhereAsked<Answer>(
  id: string,
  terms: Terms,
  headers: Readonly<Record<string, string>> & { "if-match": string },
  send: (signature?: Signature) => Promise<Answer>,
): Promise<Answer> {
  const signed = async () => {
    const signature = unanswered.get(headers) ?? await sign(id, terms, headers["if-match"]);
    unanswered.set(headers, signature);
    try {
      return await send(signature);
    } catch (error) {
      if (error instanceof PlainFailure) unanswered.delete(headers);
      throw error;
    }
  };
  if (known()?.signs_approvals) return await signed();
  try {
    return await send();
  } catch (error) {
    // It was set a moment ago.
    if (codeOf(error) !== "signature_required") throw error;
    return await signed();
  }
}

/** Signatures that were sent, and of which nobody knows what became, by the headers with them. */
const unanswered = new WeakMap<object, Signature>();

async function sign(id: string, terms: Terms, ifMatch: string): Promise<Signature> {
  const params = { id };
  const headers = { "if-match": ifMatch };
  return await signedBy(
    await api.call(challengeForKeyRequest, { params, body: terms, headers }),
    NOT_SIGNED,
  );
}

const NOT_SIGNED =
  "Not signed, so nothing was decided. It takes a passkey of yours: add one in Settings, You.";

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
