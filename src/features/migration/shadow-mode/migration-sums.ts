import type { DenialReason } from "../../../contract/denied-calls.ts";
import { DAY_HOURS } from "../../verification/usage/usage.ts";

/** Without a call there for so many whole days, nothing is expected there any more. */
export const SAFE_DAYS = 14;
/** The last compared calls that are looked at, and the days of which. */
const COMPARED_CALLS = 2_000_000;
export const COMPARED_DAYS = 90;
/** The number of days in "as in the last days". */
export const LATELY_DAYS = 7;

/** Calls of one day with one verdict. */
export interface CallsOfDay {
  begins: number;
  verdict: string;
  asked: number;
  opened: number;
}

/** The results of calls that both sides would have decided. */
interface Comparison {
  compared: number;
  allowed_at_gateway_only: { reason: DenialReason; calls: number }[];
  denied_at_gateway_only: number;
}

/** The comparison of these calls. */
export function comparisonOf(rows: readonly CallsOfDay[]): Comparison {
  const reasons = new Map<DenialReason, number>();
  let compared = 0;
  let denied_at_gateway_only = 0;
  for (const { verdict, asked, opened } of rows) {
    compared += asked;
    if (verdict === "valid") denied_at_gateway_only += Math.max(0, asked - opened);
    else if (opened > 0) {
      // as: observed verdicts are `valid` and the reasons.
      const reason = verdict as DenialReason;
      reasons.set(reason, (reasons.get(reason) ?? 0) + opened);
    }
  }
  const allowed_at_gateway_only = [...reasons].map(([reason, calls]) => ({ reason, calls }))
    .sort((a, b) => b.calls - a.calls || (a.reason < b.reason ? -1 : 1));
  return { compared, allowed_at_gateway_only, denied_at_gateway_only };
}

/** The rows of the last days that hold COMPARED_CALLS, by whole days; all where they hold fewer. */
export function lastCompared<Row extends CallsOfDay>(rows: readonly Row[]): Row[] {
  const newest = rows.toSorted((a, b) => b.begins - a.begins);
  const taken: Row[] = [];
  let calls = 0;
  for (const row of newest) {
    if (calls >= COMPARED_CALLS && row.begins !== taken.at(-1)?.begins) break;
    taken.push(row);
    calls += row.asked;
  }
  return taken;
}

/**
 * From which day on, as its hour, no call there is within SAFE_DAYS whole days; `since`: the first
 * day on which anything was observed, null where nothing was.
 */
export function safeFrom(since: number | null, last: number | null): number | null {
  if (since === null) return null;
  const earliest = since + SAFE_DAYS * DAY_HOURS;
  return last === null ? earliest : Math.max(earliest, last + (SAFE_DAYS + 1) * DAY_HOURS);
}
