import type { z } from "zod";
import type { getUsage as endpoint } from "../../src/features/verification/usage/v1.operations.ts";

/** The answer of usage. */
export type Usage = z.output<typeof endpoint.response>;

/** An hour, a day or a week of UTC, with the counts that fall into it. */
export interface Slot {
  readonly at: number;
  readonly counts: readonly Usage["data"][number][];
}

/** The span of a slot. */
export type Unit = "hour" | "day" | "week";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** More slots than these are put together, so many days in one. */
const [MOST_SLOTS, WEEK] = [100, 7];

/** Every hour or day of the span, those without a call too; weeks where they are too many. */
export function slotsOf({ by, since, until, data }: Usage): { slots: Slot[]; unit: Unit } {
  const known = new Map(data.map((slot) => [Date.parse(slot.at), slot]));
  const [first, step] = [Date.parse(since), by === "hour" ? HOUR_MS : DAY_MS];
  const all = Array.from({ length: (Date.parse(until) - first) / step }, (_, index): Slot => {
    const at = first + index * step;
    const counts = known.get(at);
    return { at, counts: counts ? [counts] : [] };
  });
  if (all.length <= MOST_SLOTS) return { slots: all, unit: by };
  const weeks: Slot[] = [];
  for (let end = all.length; end > 0; end -= WEEK) {
    const week = all.slice(Math.max(end - WEEK, 0), end);
    weeks.unshift({ at: week[0]?.at ?? 0, counts: week.flatMap(({ counts }) => counts) });
  }
  return { slots: weeks, unit: "week" };
}

const dateOf = (more: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC", ...more });
const names: Record<Unit, Intl.DateTimeFormat> = {
  hour: dateOf({ hour: "2-digit", minute: "2-digit" }),
  day: dateOf({}),
  week: dateOf({ year: "numeric" }),
};

/** When it begins: "5 Nov, 13:00", "5 Nov", "5 Nov 2026". */
export const nameOf = (at: number, unit: Unit): string => names[unit].format(at);

/** The head of a column of such times. */
export const headOf: Record<Unit, string> = {
  hour: "Hour (UTC)",
  day: "Day (UTC)",
  week: "Week from (UTC)",
};
