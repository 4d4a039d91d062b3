/**
 * The conditions of a key besides its plans and its expiry. A key with conditions is stored so that
 * code which does not know them accepts it nowhere: its `algorithm` is one that such code never
 * looks for, and the secrets beside it are kept by hashes that such code does not make.
 */
import { sha256 } from "../../kernel/sha256.ts";
import type { KeyAlgorithm, StoredAlgorithm } from "./murmur.ts";

/** Calls in each period of so many seconds. */
export interface CallLimit {
  calls: number;
  seconds: number;
}

/** A quota for so long, the longest that may be said, is one that is never renewed. */
export const NEVER_RENEWED_SECONDS = 1e10;

/** The conditions of a key; null: none of that kind. */
export interface KeyConditions {
  /** Addresses and networks from where alone it opens anything, each in one spelling. */
  addresses: string[] | null;
  /** The most that it may call, where its plans allow more. */
  rate: CallLimit | null;
  quota: CallLimit | null;
  /** When people want to look at it again; it opens as before afterwards. */
  review_at: string | null;
}

/**
 * The lower of a key's own limit and its plan's, as gateways count; `seconds` 0: in all. A plan's
 * `calls` 0: it sets none.
 */
export function lowerLimit(own: CallLimit | null, plan: CallLimit): CallLimit {
  if (own === null || perSecond(own) >= perSecond(plan)) return plan;
  return own.seconds >= NEVER_RENEWED_SECONDS ? { calls: own.calls, seconds: 0 } : own;
}

function perSecond({ calls, seconds }: CallLimit): number {
  return calls > 0 ? calls / (seconds > 0 ? seconds : NEVER_RENEWED_SECONDS) : Infinity;
}

/** The stored algorithm of a key with conditions. */
export const CONDITIONAL = "sha256-conditions";

/**
 * The id under which limits of the key's own are counted, in place of a plan's: no plan has this
 * one.
 */
export const OWN_LIMITS = "";

/** The text that is stored; null where there is none, so that such a key is like any other. */
export function conditionsText(conditions: Partial<KeyConditions>): string | null {
  const { addresses = null, rate = null, quota = null, review_at = null } = conditions;
  const all = { addresses, rate, quota, review_at };
  return Object.values(all).every((one) => one === null) ? null : JSON.stringify(all);
}

/** Reads the result of conditionsText; null: none. */
export function conditionsIn(text: string | null): KeyConditions | null {
  // as: conditionsText wrote exactly this, and the row's checksum holds it.
  return text === null ? null : JSON.parse(text) as KeyConditions;
}

/**
 * The conditions of a key's row; null: none. Undefined: they can't be read, so the key must be
 * valid for nothing.
 */
export function readConditions(row: ConditionalRow): KeyConditions | null | undefined {
  if ((row.algorithm === CONDITIONAL) !== (row.conditions !== null)) return undefined;
  try {
    const found = conditionsIn(row.conditions);
    // A key without conditions has no text at all.
    return found === null && row.conditions !== null ? undefined : found;
  } catch {
    return undefined;
  }
}

/** The columns of a key that say its conditions. */
export interface ConditionalRow {
  algorithm: StoredAlgorithm;
  conditions: string | null;
}

/** The hash under which a secret of a key with conditions is kept, out of its SHA-256. */
export function conditionalHash(hash: string): string {
  return sha256(`${CONDITIONAL} ${hash}`);
}

/** The hash under which a key's secret, or a token of its client, is kept. */
export function storedHash(algorithm: StoredAlgorithm, hash: string): string {
  return algorithm === CONDITIONAL ? conditionalHash(hash) : hash;
}

/** How a key's id was made, as it is shown: whether there are conditions stands elsewhere. */
export function toAlgorithm(algorithm: StoredAlgorithm): KeyAlgorithm {
  return algorithm === CONDITIONAL ? "sha256" : algorithm;
}
