import { Failure } from "../../../kernel/failure.ts";
import { DAY_HOURS, dayOf, HOUR_MS } from "./usage.ts";

/** For how many days counts are kept: those by hour, and those by day. */
export interface UsageLife {
  readonly hour: number;
  readonly day: number;
}

/** As hours since 1970: from the first until shortly before the second. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

/** How long each span is that ends now, in hours. */
const LASTING = {
  hour: 1,
  day: DAY_HOURS,
  week: 7 * DAY_HOURS,
  month: 30 * DAY_HOURS,
  quarter: 90 * DAY_HOURS,
  year: 365 * DAY_HOURS,
} as const;

/** A span that ends now. */
type Lasting = keyof typeof LASTING;

/** The requested span: its unit, its start, and its exclusive end. */
export interface AskedSpan extends Span {
  readonly by: keyof UsageLife;
}

/** A day of the calendar as it was sent; undefined where there is no such day. */
export function hourOfDay(year: string, month: string, day: string): number | undefined {
  if (!/^\d{4}$/.test(year) || !/^\d{1,2}$/.test(month) || !/^\d{1,2}$/.test(day)) return undefined;
  const at = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  // A 31st of February would be a day in March, and the year 26 one in 1926.
  const isSame = at.getUTCFullYear() === Number(year) && at.getUTCMonth() === Number(month) - 1 &&
    at.getUTCDate() === Number(day);
  return isSame ? at.getTime() / HOUR_MS : undefined;
}

/** The hour of a date, which the contract has checked. */
export function hourOfDate(date: string): number {
  return Date.parse(date) / HOUR_MS;
}

/**
 * The days from the first to the last, both included. Throws `invalid_input` where the last is
 * before the first, and where they are more than counts are kept for.
 */
export function spanOf(first: number, last: number, by: keyof UsageLife, life: UsageLife): Span {
  const days = (last - first) / DAY_HOURS + 1;
  if (days < 1) throw wrong("the last day is before the first");
  if (days > life[by]) {
    throw wrong(`${days} days are too many: counts by ${by} are kept for ${life[by]} days`);
  }
  return { from: first, until: last + DAY_HOURS };
}

/**
 * The whole hours or days of a span that ends in this hour, and this hour or day as far as it is
 * counted. An hour and a day are told by hour. Throws `invalid_input` as `spanOf` does.
 */
export function spanUntilNow(
  last: Lasting,
  by: keyof UsageLife,
  hour: number,
  life: UsageLife,
): AskedSpan {
  const unit = LASTING[last] <= DAY_HOURS ? "hour" : by;
  const present = presentOf(unit, hour);
  const from = present - LASTING[last];
  spanOf(dayOf(from), dayOf(present), unit, life);
  return { by: unit, from, until: present + stepOf(unit) };
}

/** Two spans of the same length, one right before the other. */
interface ComparedSpans {
  readonly now: Span;
  readonly before: Span;
}

/**
 * The compared spans: the whole hours or days of a span, and as many right before them. Undefined
 * if it has none, or if those before are no longer kept.
 */
export function comparedSpans(
  { by, from, until }: AskedSpan,
  hour: number,
  life: UsageLife,
): ComparedSpans | undefined {
  const end = Math.min(until, presentOf(by, hour));
  const first = from - (end - from);
  const kept = dayOf(hour) - (life[by] - 1) * DAY_HOURS;
  if (end <= from || first < kept) return undefined;
  return { now: { from, until: end }, before: { from: first, until: from } };
}

/** Hours of one row. */
function stepOf(by: keyof UsageLife): number {
  return by === "hour" ? 1 : DAY_HOURS;
}

/** When the hour or day begins that is no whole one yet. */
function presentOf(by: keyof UsageLife, hour: number): number {
  return by === "hour" ? hour : dayOf(hour);
}

/** The error of a query, in a sentence. */
export function wrong(message: string): Failure {
  return new Failure("invalid_input", { message, details: [message] });
}
