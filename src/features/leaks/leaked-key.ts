/**
 * A report of a leaked key or access token and what became of it:
 *
 *     open ──rotated──► rotated          A report that comes again after "not so" is a new one.
 *       ├────revoked──► revoked
 *       ├──its end────► ended
 *       └──"not so"───► not_so
 *
 * A suspended key is open, and so is the access token of a suspended person: both can be resumed.
 */
import type { LeakState } from "../../contract/leak.ts";
import type { LeakRead } from "./leaks.store.ts";

/** How a report stands at `now`, and since when it is settled; null: it is not, or nobody knows. */
export function settled(row: LeakRead, now: string): { state: LeakState; at: string | null } {
  if (row.dismissed_at !== null) return { state: "not_so", at: row.dismissed_at };
  if (row.replaced_at !== null) return { state: "rotated", at: row.replaced_at };
  if (row.state === "revoked") return { state: "revoked", at: row.state_changed_at };
  if (row.state === null) return { state: "ended", at: null };
  const hasEnded = row.expires_at !== null && row.expires_at <= now;
  return hasEnded ? { state: "ended", at: row.expires_at } : { state: "open", at: null };
}

/** Whole seconds from the report until it was settled; what was settled before took none. */
export function secondsUntil(reported_at: string, at: string | null): number | null {
  if (at === null) return null;
  return Math.max(0, Math.floor((Date.parse(at) - Date.parse(reported_at)) / 1000));
}
