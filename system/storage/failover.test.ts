/** The primary is lost under load, again and again: what was acknowledged is there, once. */
// alone: network
import assert from "node:assert/strict";
import { effort } from "../../test/support/effort.ts";
import { eventually } from "../../test/support/eventually.ts";
import type { ServerProcess } from "../../test/support/processes.ts";
import { Random } from "../../test/support/random.ts";
import { check } from "../../test/whole/history/check.ts";
import type { Crowd } from "../../test/whole/history/clients.ts";
import {
  acknowledged,
  conclude,
  credentialsTwice,
  SEED,
  underLoad,
} from "../support/failover-load.ts";
import { Cut } from "../support/network-cut.ts";
import { PostgresPair } from "../support/postgres-pair.ts";

const ROUNDS = effort === 1 ? 2 : 3 * effort;

/**
 * How long a call is tried again by default (KEYDESK_DATABASE_PATIENCE_MS): what asks a lost
 * database takes that long.
 */
const PATIENCE_MS = 5000;
/**
 * For how long verification answers without seeing revocations, by default
 * (KEYDESK_VERIFY_MAX_STALE_MS).
 */
const STALE_MS = 1000;

const options = { sanitizeOps: false, sanitizeResources: false };

/** The same connection string as the members', in the nodes' database. */
async function doubled(pair: PostgresPair): Promise<number> {
  return (await pair.primary.queryIn("keydesk", credentialsTwice)).length;
}

Deno.test({
  name: `fail-over: the primary is killed ${ROUNDS} times, its synchronous standby takes over`,
  ...options,
  fn: async () => {
    await using pair = await PostgresPair.start();
    const random = new Random(SEED);
    let kills = 0;
    const { crowd, hung } = await underLoad(pair.url, {}, async (crowd) => {
      for (let round = 0; round < ROUNDS; round++) {
        await acknowledged(crowd, 30 + random.below(60));
        // Every other time the standby lags behind at that moment.
        if (round % 2 === 0) {
          await pair.holdBack();
          await new Promise((resolve) => setTimeout(resolve, 200));
        }
        await pair.primary.kill();
        kills++;
        await pair.promote();
        await acknowledged(crowd, 30);
        await pair.addStandby();
      }
      await acknowledged(crowd, 20);
    });
    const broken = check(crowd.history);
    const doubledRows = await doubled(pair);
    const { promotions } = pair;
    await conclude("Fail-over", { kills, promotions, crowd, broken, doubledRows, hung });
  },
});

Deno.test({
  name: "fail-over: a network that drops everything between nodes and primary, healed and not",
  ...options,
  fn: async () => {
    await using cut = await Cut.start();
    await using pair = await PostgresPair.start(cut.outside);
    const how = { under: cut.under, host: cut.inside };
    const { crowd, hung } = await underLoad(pair.url, how, async (crowd, node, startSpare) => {
      await acknowledged(crowd, 40);
      await whileCutOff(cut, pair, { node, stale: await startSpare() }, crowd);
      // It is back: the same primary goes on.
      await acknowledged(crowd, 40);

      // And once more, this time for good: the manager makes sure that the old one is dead, and
      // promotes.
      await cut.drop(pair.primary.port);
      await new Promise((resolve) => setTimeout(resolve, 500));
      await pair.primary.kill();
      await pair.promote();
      await acknowledged(crowd, 40);
    });
    const broken = check(crowd.history);
    const doubledRows = await doubled(pair);
    await conclude("Partition", {
      kills: 1,
      promotions: pair.promotions,
      crowd,
      broken,
      doubledRows,
      hung,
    });
  },
});

/**
 * Verification refuses once it can't see revocations; a node that was told to goes on from memory.
 */
async function whileCutOff(
  cut: Cut,
  pair: PostgresPair,
  { node, stale }: { node: ServerProcess; stale: ServerProcess },
  crowd: Crowd,
): Promise<void> {
  const known = crowd.history.changes.find(({ kind, key }) => kind === "approve" && key);
  const key = known?.key ?? "";
  const verify = (server: ServerProcess) =>
    server.send("POST", "/v1/keys/verify", { body: { key }, signal: AbortSignal.timeout(60_000) });
  const before = await verdictOf(() => verify(stale));
  await cut.drop(pair.primary.port);
  const cutAt = performance.now();
  await untilStale(cutAt);
  const fromMemory = await middleMs(9, async () => {
    const answer = await verify(stale);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.deepEqual(answer.body.valid, before.body.valid);
  });
  assert.ok(fromMemory < PATIENCE_MS, `an answer from memory waits for nothing: ${fromMemory} ms`);
  const refused = await middleMs(9, async () => {
    assert.equal((await verify(node)).status, 503);
    assert.equal((await node.send("GET", "/readyz")).status, 503);
  });
  assert.ok(refused < PATIENCE_MS, `it is known by now that nobody is there: ${refused} ms`);
  // A verdict that began more than the staleness after the cut was answered by nobody else.
  const verdicts = crowd.history.verdicts.filter(({ begin, end }) =>
    begin > cutAt + 1.5 * STALE_MS && end < Infinity
  );
  assert.deepEqual(verdicts, [], "a node that is cut off answered");
  await cut.heal();
}

/**
 * The first verdict of a node that has just started: on a busy machine its first look at the store
 * may take longer than a look may be old, and it refuses until one does not.
 */
async function verdictOf(ask: () => ReturnType<ServerProcess["send"]>) {
  let answer = await ask();
  await eventually("a fresh node's verdict", async () => {
    if (answer.status === 200) return true;
    assert.equal(answer.status, 503, JSON.stringify(answer.body));
    answer = await ask();
    return false;
  });
  return answer;
}

/** Waits until nobody may answer from memory any more but who was told to. */
async function untilStale(cutAt: number): Promise<void> {
  const left = cutAt + 4 * STALE_MS - performance.now();
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, left)));
}

/**
 * How long the middle one of so many tries took: a machine that is busy for a moment slows down
 * others than that.
 */
async function middleMs(tries: number, run: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < tries; n++) {
    const began = performance.now();
    await run();
    times.push(performance.now() - began);
  }
  return times.sort((a, b) => a - b)[tries >> 1] ?? Infinity;
}
