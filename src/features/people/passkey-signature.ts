/**
 * A decision that a passkey signs. docs/audit-log.md has the form for those who verify it later.
 */
import { Buffer } from "node:buffer";
import { canonicalJson } from "../../kernel/canonical-json.ts";
import { sha256 } from "../../kernel/sha256.ts";
import type { Spent } from "./decision-nonce.ts";

/** The signed content: the person, and the decision, with the nonce of a session. */
export type SignedContent = Readonly<Record<string, unknown>>;

/**
 * A signature that a passkey of the caller made at this address, after it verified the person. The
 * transaction checks the signed content: it has to come to `challenge`.
 */
export interface ProvedSignature {
  passkey_id: string;
  counter: number;
  /** base64url of a SHA-256. */
  challenge: string;
  nonce: string;
  spent: Spent;
  /** The proof for a later verification, without this server. */
  proof: SignatureProof;
}

/** The audit log's part of a signature, each in base64url, the public key as a JWK. */
interface SignatureProof {
  passkey_id: string;
  credential_id: string;
  public_key: Readonly<Record<string, string>>;
  authenticator_data: string;
  client_data: string;
  signature: string;
}

/** A signature as the audit log keeps it, with what it says yes to. */
export interface KeptSignature extends SignatureProof {
  content: SignedContent;
}

/** The challenge that represents a content: base64url of the SHA-256 of its RFC 8785 text. */
export function challengeFor(content: SignedContent): string {
  return Buffer.from(sha256(canonicalJson(content)), "hex").toString("base64url");
}
