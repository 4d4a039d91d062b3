import { Failure } from "../../kernel/failure.ts";
import { DAY_HOURS, HOUR_MS } from "./usage.ts";

/** For how many days counts are kept: those by hour, and those by day. */
export interface UsageLife {
  readonly hour: number;
  readonly day: number;
}

/** Whole UTC days, as hours since 1970: from the first until shortly before the second. */
export interface Span {
  readonly from: number;
  readonly until: number;
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

/** The same of a date, which the contract has looked at. */
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

/** What is wrong with what was asked, in a sentence. */
export function wrong(message: string): Failure {
  return new Failure("invalid_input", { message, details: [message] });
}
