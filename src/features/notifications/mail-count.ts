import { sha256 } from "../../kernel/sha256.ts";

/** For so long a mail counts. */
export const HOUR_MS = 60 * 60 * 1000;

/**
 * When mails went to an address within the last hour, in milliseconds since 1970, and when the
 * newest digest did.
 */
export interface MailCount {
  at: number[];
  /** 0: none that matters. */
  digest: number;
}

/** By what an address is counted: no one reads it off the store. */
export function countedAs(org_id: string, address: string): string {
  return sha256(`${org_id}\n${address.trim().toLowerCase()}`);
}

/**
 * When the next mail may go to an address, `digestMs` after the digest before where it is one. Now,
 * or later.
 */
export function nextAllowed(
  { at, digest }: MailCount,
  { now, perHour, digestMs }: { now: number; perHour: number; digestMs: number },
): number {
  const byHour = at.length < perHour ? now : (at.at(-perHour) ?? now) + HOUR_MS;
  return Math.max(now, byHour, digestMs === 0 ? now : digest + digestMs);
}
