import { Buffer } from "node:buffer";
import { toTimestamp } from "../../../kernel/clock.ts";
import { newId, randomBytes } from "../../../kernel/ids.ts";
import { sha256 } from "../../../kernel/sha256.ts";

/** The stored states of a one-time link; `expired` is derived from the time and never stored. */
export type OneTimeLinkState = "open" | "opened" | "withdrawn";

/** A one-time link about to be made, minted before its transaction. */
export interface NewOneTimeLink {
  id: string;
  /** 256 random bits as 43 characters; the store keeps their hash alone. */
  token: string;
  expires_at: string;
}

/** True for a one-time link of an access token; false for one of a key. */
export function handsOverAccess({ access_token_id }: { access_token_id: string }): boolean {
  return access_token_id !== "";
}

/** A fresh one-time link that lives for so many seconds. */
export function newOneTimeLink(now: number, lifeSeconds: number): NewOneTimeLink {
  return {
    id: newId(now),
    token: Buffer.from(randomBytes(32)).toString("base64url"),
    expires_at: toTimestamp(now + lifeSeconds * 1000),
  };
}

/** By what a one-time link is found. */
export function oneTimeLinkHash(token: string): string {
  return sha256(token);
}

/**
 * The link that hands a secret over: the token is in the fragment, which browsers send to no one.
 * `publicUrl` empty: from `/` on.
 */
export function oneTimeLinkUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/claim#${token}`;
}
