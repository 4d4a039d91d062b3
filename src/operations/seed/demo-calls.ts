import { rowsOf, UsageCell } from "../../features/usage/usage-cell.ts";
import { DAY_HOURS, HOUR_MS, type UsageRow } from "../../features/usage/usage.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import type { UseRow } from "../../features/verification/verification.store.ts";

/** A key that was called. */
export interface CalledKey {
  org_id: string;
  key_id: string;
  developer_id: string;
  plan_id: string;
  api_id: string;
  /** Calls of a usual day. */
  calls: number;
  /** Milliseconds: from the day after that until the day before that; null: until now. */
  since: number;
  until: number | null;
}

/** The calls of the demo, and when each key was used last. */
export interface DemoCalls {
  rows: UsageRow[];
  uses: UseRow[];
}

/** Whole days that calls are counted of, besides today; and of how many each hour is told. */
const DAYS = 60;
const DAYS_BY_HOUR = 2;

/** What these keys were called with until now: fewer calls at weekends, some more of late. */
export function callsOf(keys: readonly CalledKey[], now: number): DemoCalls {
  const hourNow = Math.floor(now / HOUR_MS);
  const today = Math.floor(hourNow / DAY_HOURS);
  const cells: UsageCell[] = [];
  const uses: UseRow[] = [];
  for (const called of keys) {
    const { org_id, key_id, developer_id, plan_id, api_id, calls } = called;
    if (calls === 0) continue;
    const key = { org_id, key_id, facts: { developer_id } };
    const first = Math.max(today - DAYS, dayIn(called.since) + 1);
    const last = called.until === null ? today : Math.min(today, dayIn(called.until) - 1);
    for (let day = first; day <= last; day++) {
      const noon = day * DAY_HOURS + 12;
      const cell = new UsageCell(key, plan_id, api_id, Math.min(noon, hourNow), undefined);
      const share = day === today ? (hourNow % DAY_HOURS + 1) / DAY_HOURS : 1;
      cell.success = Math.round(calls * ofDay(day, today) * share);
      cell.error_403 = Math.round(cell.success / 400);
      cell.error_429 = Math.round(cell.success / 90);
      cell.lastHit = Math.min(cell.hour * HOUR_MS + 47 * 60 * 1000, now);
      cells.push(cell);
    }
    const newest = cells.at(-1);
    if (newest?.key !== key) continue;
    uses.push({ org_id, key_id, last_used_at: toTimestamp(newest.lastHit) });
  }
  const byHour = (today - DAYS_BY_HOUR) * DAY_HOURS;
  const rows = rowsOf(cells).filter(({ table, begins }) =>
    table === "usage_days" || begins >= byHour
  );
  return { rows, uses };
}

function dayIn(ms: number): number {
  return Math.floor(ms / HOUR_MS / DAY_HOURS);
}

/** How a day compares with a usual one. */
function ofDay(day: number, today: number): number {
  const ofWeek = day % 7 < 2 ? 0.45 : 0.8 + (day * 613 % 20) / 100;
  return ofWeek * (today - day > 30 ? 0.9 : 1);
}
