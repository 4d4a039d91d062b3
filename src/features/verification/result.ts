import { type DenialReason, denialReasons } from "../../contract/denied-calls.ts";
import type { KnownKey } from "./known-key.ts";
import type { Remaining } from "./rate.ts";

/** The result of one call. */
export type CallResult = Accepted | Refused;

/**
 * The credential opens what was asked for, and the call is counted. Null: the plan sets no such
 * limit.
 */
export interface Accepted {
  readonly valid: true;
  readonly key: KnownKey;
  /** When the credential or the token ends, in milliseconds since 1970; Infinity: it does not. */
  readonly expiresAt: number;
  readonly rate: Remaining | null;
  readonly quota: Remaining | null;
}

/** It does not. Nothing is counted, except that a call over the quota is one of the rate. */
export interface Refused {
  readonly valid: false;
  readonly reason: DenialReason;
  /** When it is worth trying again, where that is known. */
  readonly retryAfterSeconds?: number;
}

/** Every word that verdicts are counted by. */
export const RESULTS: readonly (DenialReason | "valid")[] = ["valid", ...denialReasons];

/** Refusals that say no more than their reason. */
export const REFUSED = {
  unknown: { valid: false, reason: "unknown" },
  revoked: { valid: false, reason: "revoked" },
  suspended: { valid: false, reason: "suspended" },
  damaged: { valid: false, reason: "damaged" },
  expired: { valid: false, reason: "expired" },
  address_unknown: { valid: false, reason: "address_unknown" },
  address: { valid: false, reason: "address" },
  unknown_plan: { valid: false, reason: "unknown_plan" },
  plan_inactive: { valid: false, reason: "plan_inactive" },
  wrong_api: { valid: false, reason: "wrong_api" },
} as const satisfies Record<string, Refused>;

/** A refusal that says when it is worth trying again, where that is known. */
export function refused(reason: DenialReason, waitSeconds: number | null): Refused {
  if (waitSeconds === null) return { valid: false, reason };
  return { valid: false, reason, retryAfterSeconds: Math.max(1, waitSeconds) };
}
