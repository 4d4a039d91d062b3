import { Buffer } from "node:buffer";
import { toTimestamp } from "../../kernel/clock.ts";
import { randomAlphanumeric } from "../../kernel/ids.ts";
import type { Sealer } from "../../kernel/sealing/sealer.ts";
import { sha256 } from "../../kernel/sha256.ts";

/** For how long a nonce can be signed, in milliseconds. */
const NONCE_MS = 2 * 60 * 1000;

/** The record of a nonce, or a challenge, that was answered. */
export interface Spent {
  hash: string;
  /** RFC 3339. */
  expires_at: string;
}

/**
 * Makes the nonce with which a session signs a decision, for two minutes: `<43 letters and
 * digits>.<milliseconds since 1970>.<43 of base64url>`. It is not stored: the last part follows
 * from the others, the session and a sealing key, so it can't be forged and that of another session
 * does not count.
 */
export function newNonce(
  sealer: Sealer,
  session_id: string,
  now: number,
): { nonce: string; expires_at: string } {
  const until = now + NONCE_MS;
  const open = `${randomAlphanumeric(43)}.${until}`;
  return { nonce: `${open}.${proofOf(sealer, session_id, open)}`, expires_at: toTimestamp(until) };
}

/**
 * The record that spends a nonce of this session; undefined: it is expired, another's, or none.
 */
export function spentBy(
  sealer: Sealer,
  session_id: string,
  nonce: string,
  now: number,
): Spent | undefined {
  const [, open = "", until = ""] = /^([0-9A-Za-z]{43}\.(\d{13,15}))\.[\w-]{43}$/.exec(nonce) ?? [];
  if (!(Number(until) > now && Number(until) <= now + NONCE_MS)) return undefined;
  if (nonce !== `${open}.${proofOf(sealer, session_id, open)}`) return undefined;
  return { hash: sha256(nonce), expires_at: toTimestamp(Number(until)) };
}

function proofOf(sealer: Sealer, session_id: string, open: string): string {
  const text = sealer.checksum(`decision nonce\0${session_id}\0${open}`);
  return Buffer.from(sha256(text), "hex").toString("base64url");
}
