import { signal } from "../signal.ts";

const now = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 30_000);

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["week", 7 * 86_400],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });
const exact = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium" });
const day = new Intl.DateTimeFormat("en", { dateStyle: "medium" });

/** "4 min. ago", "in 3 days"; both sides of `at` are told from now. */
export function relativeTime(at: string, from: number = now.value): string {
  const seconds = (Date.parse(at) - from) / 1000;
  for (const [unit, length] of STEPS) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return "just now";
}

/** "Nov 21, 2026, 9:04:11 AM", in the zone of whoever looks. */
export function exactTime(at: string): string {
  return exact.format(new Date(at));
}

/** "Nov 21, 2026". */
export function dayOf(at: string): string {
  return day.format(new Date(at));
}

/** A time, relative, with the exact one on hover. Nothing there: `never`. */
export function Time({ at, never = "never" }: { at: string | null | undefined; never?: string }) {
  if (!at) return <>{never}</>;
  return <time dateTime={at} title={exactTime(at)}>{relativeTime(at)}</time>;
}
