import {
  firstBeyond,
  oldestDeniedCall,
  organisationsRefused,
} from "../../features/verification/denied-calls/denied-calls.store.ts";
import {
  hasOldDifferences,
  oldShadowRows,
} from "../../features/migration/shadow-mode/shadow-calls.store.ts";
import { findErasure, hasOldUsage } from "../../features/verification/usage/usage.store.ts";
import { type Clock, toTimestamp } from "../../kernel/clock.ts";
import type { Problems } from "../../kernel/problems.ts";
import type { Storage } from "../../storage/storage.ts";
import { lastPurge, slowestClock } from "./last-purge.ts";
import { PURGE_DELAYED, purgeLag } from "./purge-lag.ts";
import { findPurgeTime } from "./purge-time.store.ts";
import { PurgeTime } from "./purge-time.ts";
import {
  countedTables,
  cutOf,
  endedUntil,
  hourOf,
  leastIdAt,
  passingTables,
  retainedTables,
  type Retention,
} from "./retained.ts";
import { AT_ONCE, countOldDead, hasEnded, hasOld, organisationIds } from "./retention.store.ts";
import {
  keepPurgeTime,
  purgeCounts,
  purgeDeniedCalls,
  purgeDifferences,
  purgeEnded,
  purgeErased,
  purgeOld,
  purgeShadowCalls,
  REFUSALS_AT_ONCE,
} from "./retention.transactions.ts";

/** How long the purger rests after a round, and between two batches, as a multiple of one. */
const REST_MS = 60_000;
const REST_FACTOR = 3;
/** Within this time the first round begins; nodes that start together spread over it. */
const FIRST_MS = 5000;

/** The context of a purger. */
interface PurgerContext {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly problems: Problems;
}

/** How a purger goes about it; everything absent: as a server does. */
interface PurgerOptions {
  restMs?: number;
  time?: PurgeTime;
  before?: () => Promise<void>;
}

/**
 * Removes what has ended, and what is older than its setting, a batch at a time, until it is
 * stopped. Any number of nodes may do so at once. Rows that are over by the clock alone, and by no
 * measured time, stay: see PurgeTime. `before`: done before rows go that are kept for days. Never
 * rejects.
 */
export function startPurger(
  ctx: PurgerContext,
  retention: Retention,
  { restMs = REST_MS, time = new PurgeTime(), before = () => Promise.resolve() }: PurgerOptions =
    {},
): { stop(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;
  let round: AsyncGenerator<void, void, void> | undefined;
  let now = 0;
  let doneDay = "";
  const turn = async () => {
    const started = performance.now();
    let rest = restMs;
    try {
      if (!round) {
        now = await lookAt(ctx, time);
        round = batches(ctx, before, now, retention, doneDay);
      }
      if ((await round.next()).done) {
        round = undefined;
        doneDay = dayOf(now);
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

/** Moves the purger's time on, keeps it and tells of what is held back. */
async function lookAt({ storage, clock, problems }: PurgerContext, time: PurgeTime) {
  const measured = time.measured();
  const now = await slowestClock(storage.reader, clock);
  const known = await findPurgeTime(storage.reader);
  const stored = known ?? await lastPurge(storage.reader, now);
  const until = Math.floor(time.look(stored, now, measured));
  if (known === undefined || time.isToBeKept(stored)) {
    await storage.commit(keepPurgeTime, { until });
  }
  const reason = purgeLag(until, now);
  if (reason === undefined) problems.end(PURGE_DELAYED);
  else problems.begin(PURGE_DELAYED, { reason, stops: "nothing" });
  return until;
}

function dayOf(now: number): string {
  return toTimestamp(now).slice(0, 10);
}

/** One round, which pauses after each batch. Rows that go by days are looked for once a day. */
async function* batches(
  { storage, clock, problems }: PurgerContext,
  before: () => Promise<void>,
  until: number,
  retention: Retention,
  doneDay: string,
): AsyncGenerator<void, void, void> {
  const { reader } = storage;
  for (const table of passingTables) {
    while (await hasEnded(reader, table, endedUntil(table, until))) {
      const removed = await storage.commit(purgeEnded, { table, now: until });
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
  const isDone = dayOf(until) === doneDay;
  yield* refusals(storage, until, isDone ? undefined : MOST_DENIED_CALLS);
  if (isDone) return;
  await before();
  let dead = 0;
  for (const table of retainedTables) {
    const cut = cutOf(retention[table], until);
    if (cut === undefined) continue;
    for (const org_id of await organisationIds(reader)) {
      if (table === "deliveries") dead += await countOldDead(reader, org_id, cut);
      while (await hasOld(reader, table, org_id, cut)) {
        const input = { table, org_id, before: cut, by: "retention", now: clock.now() };
        const removed = await storage.commit(purgeOld, input);
        yield;
        if (removed < AT_ONCE) break;
      }
    }
  }
  if (dead === 0) problems.end(DEAD_LETTERS_PURGED);
  else {
    problems.begin(DEAD_LETTERS_PURGED, { reason: deadLettersPurged(dead), stops: "nothing" });
  }
  for (const table of countedTables) {
    const cut = cutOf(retention[table], until);
    while (cut !== undefined && await hasOldUsage(reader, table, hourOf(cut))) {
      const removed = await storage.commit(purgeCounts, { table, before: cut });
      yield;
      if (removed < AT_ONCE) break;
    }
  }
  yield* shadowCalls(storage, until, cutOf(retention.usage_days, until));
}

/**
 * The decisions of an old gateway go with counts by day, single differences with single denied
 * calls.
 */
async function* shadowCalls(storage: Storage, until: number, cut: string | undefined) {
  while (
    cut !== undefined && (await oldShadowRows(storage.reader, { before: hourOf(cut) }, 1)).length
  ) {
    const removed = await storage.commit(purgeShadowCalls, { before: cut });
    yield;
    if (removed < AT_ONCE) break;
  }
  const before = leastIdAt(cutOf(REFUSAL_DAYS, until) ?? "");
  for (const org_id of await organisationIds(storage.reader)) {
    while (await hasOldDifferences(storage.reader, { org_id, before })) {
      const removed = await storage.commit(purgeDifferences, { org_id, before });
      yield;
      if (removed < AT_ONCE) break;
    }
  }
}

/** For how many days a single refusal is kept, and how many an organisation has at the most. */
const REFUSAL_DAYS = 30;
const MOST_DENIED_CALLS = 1_000_000;

/**
 * Single refusals that are too old, and those beyond `most`, for which as many entries of an index
 * are walked; undefined: of any number.
 */
async function* refusals(
  storage: Storage,
  until: number,
  most: number | undefined,
): AsyncGenerator<void, void, void> {
  const old = leastIdAt(cutOf(REFUSAL_DAYS, until) ?? "");
  for (const org_id of await organisationsRefused(storage.reader)) {
    const beyond = most === undefined ? undefined : await firstBeyond(storage.reader, org_id, most);
    const before = beyond !== undefined && beyond >= old ? `${beyond}0` : old;
    while ((await oldestDeniedCall(storage.reader, { org_id }) ?? before) < before) {
      const removed = await storage.commit(purgeDeniedCalls, { org_id, before });
      yield;
      if (removed < REFUSALS_AT_ONCE) break;
    }
  }
}

/** The problem's name; it stops nothing, and lasts until a day comes on which there were none. */
const DEAD_LETTERS_PURGED = "dead_letters_purged";

/** The warning that retention removed failed deliveries today, which never reached a recipient. */
function deadLettersPurged(n: number): string {
  return `${n} messages that were given up are older than KEYDESK_RETAIN_OUTBOX_DAYS and were removed: ` +
    "their channels never got them";
}
