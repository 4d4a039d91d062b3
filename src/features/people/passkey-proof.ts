import { Buffer } from "node:buffer";
import { canonicalJson } from "../../kernel/canonical-json.ts";
import { sha256 } from "../../kernel/sha256.ts";

/** An authenticator's answer to a challenge, as browsers write it: base64url. */
export interface Assertion {
  id: string;
  client_data: string;
  authenticator_data: string;
  signature: string;
  user_handle?: string | undefined;
}

/** An authenticator's answer when it makes a passkey. */
interface Attestation {
  id: string;
  client_data: string;
  attestation: string;
}

/** The expected values of an answer. */
interface Wanted {
  challenge: string;
  origin: string;
  rpId: string;
}

/** The part of a passkey that is kept to verify it, sealed. */
export interface KeptKey {
  user_id: string;
  rp_id: string;
  /** base64url of the COSE key. */
  key: string;
}

/** The algorithms that are taken: EdDSA, ES256, RS256. */
export const ALGORITHMS = [-8, -7, -257];

/** By what a passkey is found. */
export function handleOf(id: string): string {
  return sha256(id);
}

/** The authenticators' handle of a person; it reveals nothing. */
export function userHandleOf(org_id: string, user_id: string): string {
  return Buffer.from(sha256(`keydesk person\0${org_id}\0${user_id}`), "hex").toString("base64url");
}

/**
 * The key that an authenticator made, with what it counts; undefined: the answer is to another
 * challenge, origin or host, or says of no one that they were there and are who they are.
 */
export async function provedAttestation(
  { id, client_data, attestation }: Attestation,
  wanted: Wanted,
): Promise<{ key: string; counter: number } | undefined> {
  const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
  try {
    if (!await hasNoCertificates(attestation)) return undefined;
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        id,
        rawId: id,
        type: "public-key",
        clientExtensionResults: {},
        response: { clientDataJSON: client_data, attestationObject: attestation },
      },
      expectedChallenge: wanted.challenge,
      expectedOrigin: wanted.origin,
      expectedRPID: wanted.rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified || registrationInfo.credential.id !== id) return undefined;
    const { publicKey, counter } = registrationInfo.credential;
    return { key: Buffer.from(publicKey).toString("base64url"), counter };
  } catch {
    // It throws for whatever a stranger can have sent.
    return undefined;
  }
}

/**
 * Whether an answer vouches for its maker by no certificate. None was asked for, and the library
 * would ask the addresses in a stranger's whether it was revoked.
 */
async function hasNoCertificates(attestation: string): Promise<boolean> {
  const { decodeAttestationObject } = await import("@simplewebauthn/server/helpers");
  const bytes = new Uint8Array(Buffer.from(attestation, "base64url"));
  const decoded = decodeAttestationObject(bytes);
  const format = decoded.get("fmt");
  return format === "none" ||
    (format === "packed" && decoded.get("attStmt").get("x5c") === undefined);
}

/** The present counter of the authenticator; undefined: as above, or it did not increase. */
export async function provedAssertion(
  { id, client_data, authenticator_data, signature }: Assertion,
  wanted: Wanted,
  kept: { key: string; counter: number },
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        id,
        rawId: id,
        type: "public-key",
        clientExtensionResults: {},
        response: {
          clientDataJSON: client_data,
          authenticatorData: authenticator_data,
          signature,
        },
      },
      expectedChallenge: wanted.challenge,
      expectedOrigin: wanted.origin,
      expectedRPID: wanted.rpId,
      requireUserVerification: true,
      credential: {
        id,
        publicKey: new Uint8Array(Buffer.from(kept.key, "base64url")),
        counter: kept.counter,
      },
    });
    return verified ? authenticationInfo.newCounter : undefined;
  } catch {
    return undefined;
  }
}

/** Names of COSE's numbers: of kinds of keys, and of curves. */
const CURVES: Readonly<Record<number, string>> = { 1: "P-256", 6: "Ed25519" };

/** A COSE key of one of ALGORITHMS, in base64url, as a JWK (RFC 7517). */
export async function publicKeyOf(key: string): Promise<Record<string, string>> {
  const { decodeCredentialPublicKey } = await import("@simplewebauthn/server/helpers");
  // as: a COSE key is a map of numbers; the library's type names few of them.
  const cose = decodeCredentialPublicKey(new Uint8Array(Buffer.from(key, "base64url"))) as {
    get(label: number): unknown;
  };
  const bytes = (label: number) => {
    const value = cose.get(label);
    if (!(value instanceof Uint8Array)) throw new Error(`a COSE key without ${label}`);
    return Buffer.from(value).toString("base64url");
  };
  const crv = CURVES[Number(cose.get(-1))] ?? "";
  switch (cose.get(1)) {
    case 1:
      return { kty: "OKP", crv, x: bytes(-2) };
    case 2:
      return { kty: "EC", crv, x: bytes(-2), y: bytes(-3) };
    default:
      return { kty: "RSA", n: bytes(-1), e: bytes(-2) };
  }
}

/** The thumbprint of such a JWK, which has the members that RFC 7638 counts, and no others. */
export function thumbprintOf(jwk: Record<string, string>): string {
  return Buffer.from(sha256(canonicalJson(jwk)), "hex").toString("base64url");
}
