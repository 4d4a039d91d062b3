import { Buffer } from "node:buffer";
import { toTimestamp } from "../../../kernel/clock.ts";
import { newId, randomBytes } from "../../../kernel/ids.ts";
import { sha256 } from "../../../kernel/sha256.ts";

/** What becomes of a claim; that it has expired is derived from the time and never stored. */
export type ClaimState = "open" | "opened" | "withdrawn";

/** A claim about to be made, minted before its transaction. */
export interface NewClaim {
  id: string;
  /** 256 random bits as 43 characters; the store keeps their hash alone. */
  token: string;
  expires_at: string;
}

/** True for a claim of an access token; false for one of a key. */
export function handsOverAccess({ access_token_id }: { access_token_id: string }): boolean {
  return access_token_id !== "";
}

/** A fresh claim that lives for so many seconds. */
export function newClaim(now: number, lifeSeconds: number): NewClaim {
  return {
    id: newId(now),
    token: Buffer.from(randomBytes(32)).toString("base64url"),
    expires_at: toTimestamp(now + lifeSeconds * 1000),
  };
}

/** By what a claim is found. */
export function claimHash(token: string): string {
  return sha256(token);
}

/**
 * The link that hands a credential over: the token stands in the fragment, which browsers send to
 * nobody. `publicUrl` empty: from `/` on.
 */
export function claimLink(publicUrl: string, token: string): string {
  return `${publicUrl}/claim#${token}`;
}
