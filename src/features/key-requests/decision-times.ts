import { developerActor } from "../../calls/principal.ts";
import type { DecisionRow } from "./decision-times.store.ts";
import { EXPIRY } from "./expiry.ts";

/** Fewer decisions are left to chance, and give no statistics. */
export const LEAST = 5;
/** How actors of developers begin, who decide about nothing but what needs no one. */
const DEVELOPERS = developerActor("");

/**
 * How long people took to decide, in seconds; undefined: no one decided, or it is dated before it
 * was asked for, as its client may do.
 */
export function secondsOf({ instant, at, by }: DecisionRow): number | undefined {
  const took = (Date.parse(at ?? "") - Date.parse(instant)) / 1000;
  return took >= 0 && by !== EXPIRY && !by?.startsWith(DEVELOPERS) ? took : undefined;
}

/** The median of times in whole seconds; null: there are fewer than 5. */
export function medianOf(times: readonly number[]): number | null {
  if (times.length < LEAST) return null;
  const sorted = times.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = 0, high = 0] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return Math.round((low + high) / 2);
}
