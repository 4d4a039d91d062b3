import { grouped } from "../api/numbers.ts";

/** Seconds of each unit, the longest first; hours and minutes stand in lists and are short. */
const UNITS = [
  [365 * 86_400, "year"],
  [30 * 86_400, "month"],
  [7 * 86_400, "week"],
  [86_400, "day"],
  [3600, "hr."],
  [60, "min."],
] as const;

/**
 * "4 min. ago", "in 3 days", "last week": a distance from now in seconds, as
 * `Intl.RelativeTimeFormat` writes it in English. By hand: browsers take long for the first use of
 * `Intl`, and lists say nothing else by it.
 */
export function relativeWords(seconds: number): string {
  const distance = Math.abs(seconds);
  for (const [length, unit] of UNITS) {
    if (distance < length) continue;
    const count = Math.floor(distance / length);
    const isPast = seconds < 0;
    if (count === 1 && length > 86_400) return `${isPast ? "last" : "next"} ${unit}`;
    if (count === 1 && unit === "day") return isPast ? "yesterday" : "tomorrow";
    const amount = `${grouped(count)} ${unit}${count > 1 && length >= 86_400 ? "s" : ""}`;
    return isPast ? `${amount} ago` : `in ${amount}`;
  }
  return "just now";
}

/** "9 days", "57 min": how long between two moments, in the largest unit. */
export function lengthOf(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${Math.max(minutes, 0)} min`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h`;
  return `${Math.floor(minutes / (24 * 60))} days`;
}
