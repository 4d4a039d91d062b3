import type { Clock } from "../../kernel/clock.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import type { Storage } from "../../storage/storage.ts";
import { findErasure, hasOldUsage } from "../../features/usage/usage.store.ts";
import {
  countedTables,
  cutOf,
  hourOf,
  passingTables,
  retainedTables,
  type Retention,
} from "./retained.ts";
import { AT_ONCE, hasEnded, hasOld, organisationIds } from "./retention.store.ts";
import { purgeCounts, purgeEnded, purgeErased, purgeOld } from "./retention.transactions.ts";

/** How long the purger rests after a round, and how many times as long as a batch took between two. */
const REST_MS = 60_000;
const REST_FACTOR = 3;
/** Within this time the first round begins; nodes that start together spread over it. */
const FIRST_MS = 5000;

/**
 * Removes what has ended, and what is older than its setting, a batch at a time, until it is stopped. Any number of
 * nodes may do so at once. `before`: done before rows go that are kept for days. Never rejects.
 */
export function startPurger(
  storage: Storage,
  clock: Clock,
  retention: Retention,
  restMs = REST_MS,
  before: () => Promise<void> = () => Promise.resolve(),
): { stop(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;
  let round: AsyncGenerator<void, void, void> | undefined;
  let doneDay = "";
  const turn = async () => {
    const started = performance.now();
    let rest = restMs;
    try {
      round ??= batches({ storage, clock, before }, retention, doneDay);
      if ((await round.next()).done) {
        round = undefined;
        doneDay = dayOf(clock);
      } else {
        rest = REST_FACTOR * (performance.now() - started);
      }
    } catch {
      // A store that can't be reached now is asked again in the next round; calls tell of it.
      round = undefined;
    }
    if (!stopped) timer = setTimeout(turn, rest);
  };
  timer = setTimeout(turn, Math.random() * Math.min(FIRST_MS, restMs));
  return {
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

function dayOf(clock: Clock): string {
  return toTimestamp(clock.now()).slice(0, 10);
}

/** One round, which pauses after each batch. Rows that go by days are looked for once on each day. */
async function* batches(
  on: { storage: Storage; clock: Clock; before: () => Promise<void> },
  retention: Retention,
  doneDay: string,
): AsyncGenerator<void, void, void> {
  const { storage, clock } = on;
  const { reader } = storage;
  for (const table of passingTables) {
    while (await hasEnded(reader, table, toTimestamp(clock.now()))) {
      const removed = await storage.commit(purgeEnded, { table, now: clock.now() });
      yield;
      // The rest is held by others, or gone.
      if (removed < AT_ONCE) break;
    }
  }
  for (let next = await findErasure(reader); next; next = await findErasure(reader)) {
    const removed = await storage.commit(purgeErased, next);
    yield;
    // The rest is another node's.
    if (removed === null) break;
  }
  if (dayOf(clock) === doneDay) return;
  await on.before();
  for (const table of retainedTables) {
    const before = cutOf(retention[table], clock.now());
    if (before === undefined) continue;
    for (const org_id of await organisationIds(reader)) {
      while (await hasOld(reader, table, org_id, before)) {
        const input = { table, org_id, before, by: "retention", now: clock.now() };
        const removed = await storage.commit(purgeOld, input);
        yield;
        if (removed < AT_ONCE) break;
      }
    }
  }
  for (const table of countedTables) {
    const before = cutOf(retention[table], clock.now());
    while (before !== undefined && await hasOldUsage(reader, table, hourOf(before))) {
      const removed = await storage.commit(purgeCounts, { table, before });
      yield;
      if (removed < AT_ONCE) break;
    }
  }
}
