/**
 * The time within which a request is to be decided, as its policy promises it.
 *
 *     asked ──► soon late, told once ──► late, told once
 *       ▲── edited, reopened, an offer that came to nothing: the hours begin anew, as the steps do
 *
 * `tell_at` of the row is what comes next, null once both were told. Nothing else changes: a
 * request that is late can be decided as before. While an offer waits for the developer nobody is
 * late. Where no server ran, or a clock jumped, a warning that would come too late is left out.
 */
import { toTimestamp } from "../../kernel/clock.ts";
import { askedPolicyIn } from "./asked-policy.ts";
import { offerIn, waitsAt } from "./offer.ts";

const HOUR_MS = 3_600_000;
/** The part of the time after which is warned. */
const WARNED_AFTER = 0.75;

/** The columns of a request that say until when it is to be decided. */
export interface Promised {
  decide_by: string | null;
  /** When something of that is to be told; null: nothing any more. */
  tell_at: string | null;
}

/** Of a request of which nothing is promised. */
const NO_PROMISE: Promised = { decide_by: null, tell_at: null };

/** What is promised of a request whose hours begin now, in milliseconds. */
export function promisedFrom(policy: string | null, now: number): Promised {
  const hours = askedPolicyIn(policy)?.decide_within_hours ?? null;
  if (hours === null) return NO_PROMISE;
  const within = hours * HOUR_MS;
  return {
    decide_by: toTimestamp(now + within),
    tell_at: toTimestamp(now + Math.round(within * WARNED_AFTER)),
  };
}

/** What is to be told of a request now, and what comes next. */
interface PromiseStep {
  tell: "late_soon" | "late" | null;
  next: Promised;
}

/** The same of a request that waits and of which something is due. */
export function promiseStep(
  row: { policy: string | null; offer: string | null } & Promised,
  now: number,
): PromiseStep {
  const { policy, decide_by } = row;
  const offer = offerIn(row.offer);
  if (offer && waitsAt(row.offer, now)) {
    // Afterwards there is as long to decide as from the beginning.
    return { tell: null, next: promisedFrom(policy, Date.parse(offer.expires_at)) };
  }
  if (decide_by === null) return { tell: null, next: NO_PROMISE };
  return now < Date.parse(decide_by)
    ? { tell: "late_soon", next: { decide_by, tell_at: decide_by } }
    : { tell: "late", next: { decide_by, tell_at: null } };
}

/** Whether a request is decided later than was promised, or waits still then. */
export function isLate(
  { state, offer, decide_by }: { state: string; offer: string | null; decide_by: string | null },
  now: number,
): boolean {
  return state === "pending" && decide_by !== null && !waitsAt(offer, now) &&
    Date.parse(decide_by) <= now;
}
