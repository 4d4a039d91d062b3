import { grouped } from "../api/numbers.ts";
import { say } from "../said.ts";

/** The calls of a span, as the server tells them. */
interface Counted {
  readonly since: string;
  readonly until: string;
  readonly hits: number;
  readonly error: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * A span beside the one before: "30 whole days: 1,200 calls, 9% more than in the 30 before (1,100).
 * Denied: 3, as many as before."
 */
export function comparedInWords({ now, before }: { now: Counted; before: Counted }): string {
  const ms = Date.parse(now.until) - Date.parse(now.since);
  const [count, unit] = ms < 2 * DAY_MS ? [ms / HOUR_MS, "hour"] : [ms / DAY_MS, "day"];
  const span = count === 1 ? `The last whole ${unit}` : `${count} whole ${unit}s`;
  const earlier = count === 1 ? "in the one before" : `in the ${count} before`;
  const calls = now.hits === 1 ? "1 call" : `${grouped(now.hits)} calls`;
  const all = say`${span}: ${calls}, ${changeInWords(now.hits, before.hits, earlier)}.`;
  if (now.error + before.error === 0) return all;
  const refused = changeInWords(now.error, before.error, "before");
  return say`${all} Denied: ${grouped(now.error)}, ${refused}.`;
}

/** "9% more than in the 30 before (1,100)"; `earlier` says when. */
export function changeInWords(now: number, before: number, earlier: string): string {
  if (before === 0) return now === 0 ? say`as ${earlier}` : say`none ${earlier}`;
  if (now === before) return say`as many as ${earlier}`;
  const percent = Math.round((now / before - 1) * 100);
  const change = percent === 0
    ? "about as many as"
    : percent > 999
    ? `${Math.round(now / before)} times as many as`
    : `${Math.abs(percent)}% ${percent > 0 ? "more" : "fewer"} than`;
  return say`${change} ${earlier} (${grouped(before)})`;
}
