import type { Clock } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Connection, Storage } from "../../storage/storage.ts";
import { clockOf } from "../../storage/store-clock.ts";
import { oldestChange } from "../server-info/server-info.store.ts";
import { findPurgeTime } from "./purge-time.store.ts";
import { organisationIds } from "./retention.store.ts";
import { beginPurgeTime } from "./retention.transactions.ts";

/** Now, by the clock that is behind: this machine's, or that of the store's own machine. */
export async function slowestClock(db: Connection, clock: Clock): Promise<number> {
  return Math.min(clock.now(), await clockOf(db) ?? Infinity);
}

/**
 * The time by which was purged last. Of a store that knows none nothing says how long it was left
 * alone, and a clock may have jumped since: it is taken to be as old as the oldest row of an audit
 * log, and an empty one begins now.
 */
export async function lastPurge(db: Connection, now: number): Promise<number> {
  const known = await findPurgeTime(db);
  if (known !== undefined) return known;
  let oldest = now;
  for (const org_id of await organisationIds(db)) {
    oldest = Math.min(oldest, await oldestChange(db, org_id) ?? now);
  }
  return oldest;
}

/**
 * Gives a store that knows no time by which was purged one, when it is made and whenever it is
 * opened: from then on a clock that jumps is found out. A store that can't be written to now has
 * one from its next opening, or the purger's first turn.
 */
export async function ensurePurgeTime(storage: Storage, clock: Clock): Promise<void> {
  const { reader } = storage;
  if (await findPurgeTime(reader) !== undefined) return;
  const until = Math.floor(await lastPurge(reader, await slowestClock(reader, clock)));
  await storage.commit(beginPurgeTime, { until }).catch((error) => {
    if (!(error instanceof Failure && error.code === "unavailable")) throw error;
  });
}
