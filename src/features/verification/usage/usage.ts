import type { CountedReason, Reasons } from "../../../contract/denied-calls.ts";

/**
 * The subjects of counts; the rows of the organisation itself, and of all gateways together, have
 * an empty object_id.
 */
export type UsageKind = "organisation" | "key" | "developer" | "plan" | "api" | "door";

/** How a call was answered: let in, or refused with the status that tells why. */
export type CallStatus = 200 | 401 | 403 | 429;

/** How many calls were answered how. */
export interface Tally {
  success: number;
  error_401: number;
  error_403: number;
  error_429: number;
  /** How many were refused for which reason; absent: none was. */
  reasons?: Reasons;
}

/** The tables of counts. Both are written with each count, so none is made of the other. */
export const usageTables = ["usage_hours", "usage_days"] as const;
/** One of them. */
export type UsageTable = typeof usageTables[number];

/** A tally to be added to what is stored; see UsageTable in the schema for its members. */
export interface UsageRow extends Tally {
  table: UsageTable;
  org_id: string;
  kind: UsageKind;
  object_id: string;
  begins: number;
  plan_id: string;
  api_id: string;
  last_hit: string;
}

/** The unit of a call's time: whole hours since 1970. */
export const HOUR_MS = 60 * 60 * 1000;
/** Hours of a UTC day. */
export const DAY_HOURS = 24;

/** The hour in which its UTC day begins. */
export function dayOf(hour: number): number {
  return Math.floor(hour / DAY_HOURS) * DAY_HOURS;
}

/** Calls in all, and those that were refused. */
export function totals(tally: Tally): { hits: number; success: number; error: number } {
  const error = tally.error_401 + tally.error_403 + tally.error_429;
  return { hits: tally.success + error, success: tally.success, error };
}

/** Adds one tally to another. */
export function addTally(to: Tally, from: Tally): void {
  to.success += from.success;
  to.error_401 += from.error_401;
  to.error_403 += from.error_403;
  to.error_429 += from.error_429;
  if (from.reasons === undefined) return;
  to.reasons = { ...to.reasons };
  // as: the keys of such an object.
  for (const [reason, calls] of Object.entries(from.reasons) as [CountedReason, number][]) {
    to.reasons[reason] = (to.reasons[reason] ?? 0) + calls;
  }
}
