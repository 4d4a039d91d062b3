import type { Clock } from "../../kernel/clock.ts";
import type { Connection } from "../../storage/storage.ts";
import { clockOf, newestChange } from "../server-info/server-info.store.ts";
import { findPurgeTime } from "./purge-time.store.ts";
import { organisationIds } from "./retention.store.ts";

/** Now, by the clock that is behind: this machine's, or that of the store's own machine. */
export async function slowestClock(db: Connection, clock: Clock): Promise<number> {
  return Math.min(clock.now(), await clockOf(db) ?? Infinity);
}

/**
 * The time by which was purged last. A store that knows none was last changed when its newest row of a trail says so;
 * an empty one begins now.
 */
export async function lastPurge(db: Connection, now: number): Promise<number> {
  const known = await findPurgeTime(db);
  if (known !== undefined) return known;
  let newest: number | undefined;
  for (const org_id of await organisationIds(db)) {
    const at = await newestChange(db, org_id);
    if (at !== undefined) newest = Math.max(newest ?? at, at);
  }
  return newest ?? now;
}
