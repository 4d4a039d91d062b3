/**
 * The calls of the demo: every count of them is made of the same cells, so that keys, plans, APIs,
 * gateways, quotas and single denied calls agree.
 */
import type { NewDeniedCall } from "../../features/verification/denied-calls/denied-call.ts";
import { HASH_DIGITS } from "../../features/verification/denied-calls/denied-call.ts";
import { MOST_OF_A_KEY } from "../../features/verification/denied-calls/denied-calls.transactions.ts";
import { quotaPeriodOf } from "../../features/verification/quota-leases.ts";
import type { QuotaPeriod } from "../../features/verification/quotas.store.ts";
import { GatewayCell, rowsOf, UsageCell } from "../../features/verification/usage/usage-cell.ts";
import { DAY_HOURS, HOUR_MS, type UsageRow } from "../../features/verification/usage/usage.ts";
import type { UseRow } from "../../features/verification/verification.store.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { sha256 } from "../../kernel/sha256.ts";

/** A key that was called. */
export interface CalledKey {
  readonly org_id: string;
  readonly key_id: string;
  readonly developer_id: string;
  readonly plan_id: string;
  readonly api_id: string;
  /** An API that it calls in vain now and then. */
  readonly otherApi: string;
  /** Calls of a usual day. */
  readonly calls: number;
  readonly limits: {
    readonly rate: number;
    readonly per: number;
    readonly quota_max: number;
    readonly quota_renewal_rate: number;
  };
  /**
   * Milliseconds: when it was issued, and when it expired; null: it did not. It was called on the
   * days in between.
   */
  readonly since: number;
  readonly until: number | null;
}

/** The counts and notes of the calls. */
export interface DemoCalls {
  readonly rows: UsageRow[];
  /** The last use of each key. */
  readonly uses: UseRow[];
  /** The used parts of quotas. */
  readonly quotas: (QuotaPeriod & { used: number })[];
  /** The newest denied calls of each key. */
  readonly denied: NewDeniedCall[];
}

const MINUTE_MS = 60 * 1000;
/** How many whole days besides today have counts of calls, and how many of them by the hour. */
const DAYS = 60;
const DAYS_BY_HOUR = 2;
/** Single denied calls are kept for so many whole days. */
const DAYS_OF_DENIED = 30;
/** Calls of so many that pass are over the rate, and for an API that no plan of the key is for. */
const [OVER_RATE, WRONG_API] = [2000, 7000];

/** The calls of these keys through one gateway until now: fewer at weekends, and at night. */
export function callsOf(keys: readonly CalledKey[], gateway: string, now: number): DemoCalls {
  const today = dayIn(now);
  const cells: UsageCell[] = [];
  const uses: UseRow[] = [];
  const quotas: DemoCalls["quotas"] = [];
  const denied: NewDeniedCall[] = [];
  for (const key of keys.filter(({ calls }) => calls > 0)) {
    const own = cellsOf(key, now);
    const last = Math.max(...own.map(({ lastHit }) => lastHit));
    if (own.length === 0) continue;
    const { org_id, key_id } = key;
    cells.push(...own);
    uses.push({ org_id, key_id, last_used_at: toTimestamp(last) });
    quotas.push(...quotaOf(key, own, now));
    denied.push(...deniedOf(key, own, gateway, now));
  }
  const byHour = (today - DAYS_BY_HOUR) * DAY_HOURS;
  const rows = rowsOf(cells, gatewayCells(cells, gateway)).filter(({ table, begins }) =>
    table === "usage_days" || begins >= byHour
  );
  return { rows, uses, quotas, denied };
}

/** Of each day one cell, of the last days one of each hour; those of another API apart. */
function cellsOf(called: CalledKey, now: number): UsageCell[] {
  const { org_id, key_id, developer_id, plan_id, api_id, otherApi, calls, since, until } = called;
  const [hourNow, today] = [Math.floor(now / HOUR_MS), dayIn(now)];
  const key = { org_id, key_id, facts: { developer_id } };
  const first = Math.max(today - DAYS, dayIn(since) + 1);
  const last = until === null ? today : Math.min(today, dayIn(until) - 1);
  const cells: UsageCell[] = [];
  for (let day = first; day <= last; day++) {
    const isByHour = day >= today - DAYS_BY_HOUR;
    const hours = isByHour ? Array.from({ length: DAY_HOURS }, (_, hour) => hour) : [12];
    for (const hour of hours.map((one) => day * DAY_HOURS + one)) {
      if (hour > hourNow) continue;
      const share = isByHour ? ofHour(hour % DAY_HOURS) : 1;
      const passed = Math.round(calls * ofDay(day, today) * share);
      if (passed === 0) continue;
      const lastHit = Math.min(hour * HOUR_MS + 47 * MINUTE_MS, now);
      const cell = new UsageCell(key, plan_id, api_id, hour, undefined);
      cell.success = passed;
      count(cell, "over_rate", timesOf(passed, OVER_RATE, hour));
      const other = new UsageCell(key, "", otherApi, hour, undefined);
      count(other, "wrong_api", timesOf(passed, WRONG_API, hour));
      cell.lastHit = other.lastHit = lastHit;
      cells.push(cell, ...other.error_403 > 0 ? [other] : []);
    }
  }
  return cells;
}

function count(cell: UsageCell, reason: "over_rate" | "wrong_api", calls: number): void {
  if (calls === 0) return;
  if (reason === "over_rate") cell.error_429 = calls;
  else cell.error_403 = calls;
  cell.reasons = { [reason]: calls };
}

/** A share of calls, the rest of a division now and then one more. */
function timesOf(calls: number, of: number, hour: number): number {
  return Math.floor((calls + hour * 613 % of) / of);
}

/** The used part of a quota since its present period began. */
function quotaOf(
  { org_id, key_id, plan_id, since, limits }: CalledKey,
  cells: readonly UsageCell[],
  now: number,
): DemoCalls["quotas"] {
  if (limits.quota_max <= 0) return [];
  const quotaPeriodMs = limits.quota_renewal_rate * 1000;
  const period = quotaPeriodOf({ issuedAt: since }, { quotaPeriodMs }, now);
  const used = cells.filter(({ hour }) => hour * HOUR_MS >= period)
    .reduce((sum, { success }) => sum + success, 0);
  return used > 0 ? [{ org_id, key_id, plan_id, period, used }] : [];
}

/** Each denied call of a key by itself, the newest that are kept. */
function deniedOf(
  { org_id, key_id, developer_id, api_id, limits }: CalledKey,
  cells: readonly UsageCell[],
  gateway: string,
  now: number,
): NewDeniedCall[] {
  const all: NewDeniedCall[] = [];
  const first = (dayIn(now) - DAYS_OF_DENIED) * DAY_HOURS;
  for (const cell of cells.filter(({ hour }) => hour >= first)) {
    const times = cell.error_403 + cell.error_429;
    const from = cell.hour * HOUR_MS;
    for (let n = 1; n <= times; n++) {
      const digits = sha256(`${key_id} ${cell.api_id} ${cell.hour} ${n}`);
      const place = (n - parseInt(digits.slice(0, 2), 16) / 256) / times;
      const at = from + Math.floor((cell.lastHit - from) * place);
      const isRate = cell.error_429 > 0;
      const facts = isRate
        ? { limit: limits.rate, per_seconds: limits.per, retry_after: 1 + n % limits.per }
        : { apis: [api_id] };
      const second = Math.floor(at / 1000).toString(16).padStart(8, "0");
      all.push({
        org_id,
        id: second + digits.slice(0, 16),
        at: toTimestamp(at),
        reason: isRate ? "over_rate" : "wrong_api",
        gateway,
        api_id: cell.api_id,
        plan_id: cell.plan_id,
        key_id,
        developer_id,
        facts,
        hash_start: key_id.slice(0, HASH_DIGITS),
        network: "203.0.113.0/24",
      });
    }
  }
  return all.toSorted((a, b) => a.id < b.id ? -1 : 1).slice(-MOST_OF_A_KEY);
}

/** These calls as the gateway counts them. */
function gatewayCells(cells: readonly UsageCell[], gateway: string): GatewayCell[] {
  return cells.map((cell) => {
    const { key: { org_id }, api_id, hour, lastHit } = cell;
    const { success, error_401, error_403, error_429, reasons = {} } = cell;
    const same = new GatewayCell(org_id, gateway, api_id, hour, lastHit);
    return Object.assign(same, { success, error_401, error_403, error_429, reasons, lastHit });
  });
}

function dayIn(ms: number): number {
  return Math.floor(ms / HOUR_MS / DAY_HOURS);
}

/** How a day compares with a usual one. */
function ofDay(day: number, today: number): number {
  const ofWeek = day % 7 < 2 ? 0.45 : 0.8 + (day * 613 % 20) / 100;
  return ofWeek * (today - day > 30 ? 0.9 : 1);
}

/** The share of a day's calls that an hour of UTC has: most in the rush hours. */
function ofHour(hour: number): number {
  const weights = [1, 1, 1, 1, 2, 4, 7, 9, 8, 6, 5, 5, 6, 5, 5, 6, 8, 9, 7, 5, 4, 3, 2, 1];
  return (weights[hour] ?? 0) / weights.reduce((sum, one) => sum + one, 0);
}
