/**
 * The end of a request that no one decides: its policy says after how many days, and how many days
 * before that anyone who may decide is reminded.
 *
 *     asked ──► reminded ──► declined, by no one, with everything that was approved kept
 *       ▲── edited, reopened, an offer that came to nothing: the days begin anew, as the steps do
 *
 * `due_at` of the row is what comes next. No one is surprised: where a reminder comes late, since
 * no server ran or a clock jumped, the end waits for a day after it. While an offer waits for the
 * developer nothing ends. Until it is declined, a request that is past its end can be decided.
 */
import { toTimestamp } from "../../kernel/clock.ts";
import { type AskedPolicy, askedPolicyIn } from "./asked-policy.ts";
import { offerIn, waitsAt } from "./offer.ts";

/**
 * The actor who declines requests that were not decided in time, in the audit log and the request.
 */
export const EXPIRY = "expiry";

/** The reason that is kept with it; pages and mails say it in their languages. */
export const NOT_IN_TIME = "Nobody decided in time.";

const DAY_MS = 86_400_000;

/** The columns of a request that say when it ends by itself. */
export interface Ends {
  expires_at: string | null;
  due_at: string | null;
}

/** Of a request that waits for as long as it takes. */
export const NO_ENDS: Ends = { expires_at: null, due_at: null };

/** When a request ends whose days begin now, in milliseconds. `policy`: as it is stored. */
export function endsFrom(policy: string | null, now: number): Ends {
  const asked = askedPolicyIn(policy);
  if (!asked || asked.expires_after_days === null) return NO_ENDS;
  return endsOn(asked, now + asked.expires_after_days * DAY_MS);
}

function endsOn({ remind_before_days }: AskedPolicy, end: number): Ends {
  const before = (remind_before_days ?? 0) * DAY_MS;
  return { expires_at: toTimestamp(end), due_at: toTimestamp(end - before) };
}

/** The step of a due request. */
type DueStep =
  | { what: "remind" | "wait"; ends: Ends }
  | { what: "end" };

/** The due step of a waiting request. If its offer waits: none until that is over. */
export function dueStep(
  row: { policy: string | null; offer: string | null } & Ends,
  now: number,
): DueStep {
  const asked = askedPolicyIn(row.policy);
  const offer = offerIn(row.offer);
  const end = Date.parse(row.expires_at ?? "");
  if (!asked || Number.isNaN(end)) return { what: "wait", ends: NO_ENDS };
  if (offer && waitsAt(row.offer, now)) {
    // Afterwards there is as long to decide as after a reminder.
    const rest = (asked.remind_before_days ?? 1) * DAY_MS;
    return { what: "wait", ends: endsOn(asked, Date.parse(offer.expires_at) + rest) };
  }
  if (row.due_at === row.expires_at) return { what: "end" };
  const later = toTimestamp(Math.max(end, now + DAY_MS));
  return { what: "remind", ends: { expires_at: later, due_at: later } };
}

/** When a waiting request expires, as it is published; null: never, or there is an offer. */
export function toEnd(
  { state, expires_at, offer }: { state: string; expires_at: string | null; offer: string | null },
  now: number,
): string | null {
  return state === "pending" && !waitsAt(offer, now) ? expires_at : null;
}

/** Whether no one decided it in time, and it was declined for that. */
export function hasExpired(
  { state, decided_by }: { state: string; decided_by: string | null },
): boolean {
  return state === "declined" && decided_by === EXPIRY;
}
