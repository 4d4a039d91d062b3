/** The primary is lost under load, again and again: what was acknowledged is there, once. */
import assert from "node:assert/strict";
import { effort } from "../../test/support/effort.ts";
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

const ROUNDS = effort === 1 ? 5 : 3 * effort;

/** What a call may take: the patience, as much for finding out what became of a commit, and what hangs at the end of it. */
const LONGEST_CALL_MS = 20_000;

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
    const crowd = await underLoad(pair.url, {}, async (crowd) => {
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
    const told = await conclude("Fail-over", { kills, promotions, crowd, broken, doubledRows });
    assert.ok(told.longestMs < LONGEST_CALL_MS, `a call took ${told.longestMs} ms`);
  },
});

Deno.test({
  name: "fail-over: a network that drops everything between nodes and primary, healed and not",
  ...options,
  fn: async () => {
    await using cut = await Cut.start();
    await using pair = await PostgresPair.start(cut.outside);
    const how = { under: cut.under, host: cut.inside };
    const crowd = await underLoad(pair.url, how, async (crowd, node, startSpare) => {
      await acknowledged(crowd, 40);
      await whileCutOff(cut, pair, { node, stale: await startSpare() }, crowd);
      // It is back: the same primary goes on.
      await acknowledged(crowd, 40);

      // And once more, this time for good: the manager makes sure that the old one is dead, and promotes.
      await cut.drop(pair.primary.port);
      await new Promise((resolve) => setTimeout(resolve, 500));
      await pair.primary.kill();
      await pair.promote();
      await acknowledged(crowd, 40);
    });
    const broken = check(crowd.history);
    const doubledRows = await doubled(pair);
    const told = await conclude("Partition", {
      kills: 1,
      promotions: pair.promotions,
      crowd,
      broken,
      doubledRows,
    });
    assert.ok(told.longestMs < LONGEST_CALL_MS, `a call took ${told.longestMs} ms`);
  },
});

/** Verification refuses once it can't see revocations; a node that was told to goes on from memory. */
async function whileCutOff(
  cut: Cut,
  pair: PostgresPair,
  { node, stale }: { node: ServerProcess; stale: ServerProcess },
  crowd: Crowd,
): Promise<void> {
  const known = crowd.history.changes.find(({ kind, key }) => kind === "approve" && key);
  const key = known?.key ?? "";
  const verify = (server: ServerProcess) =>
    server.send("POST", "/v1/keys/verify", { body: { key }, signal: AbortSignal.timeout(20_000) });
  const before = await verify(stale);
  assert.equal(before.status, 200);
  await cut.drop(pair.primary.port);
  const cutAt = performance.now();
  while (performance.now() - cutAt < 4000) {
    const began = performance.now();
    const answer = await verify(stale);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.deepEqual(answer.body.valid, before.body.valid);
    assert.ok(performance.now() - began < 3000, "an answer from memory waits for nothing");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const refused = performance.now();
  assert.equal((await verify(node)).status, 503);
  assert.equal((await node.send("GET", "/readyz")).status, 503);
  assert.ok(performance.now() - refused < 3000, "it is known by now that nobody is there");
  // A verdict that began more than the staleness after the cut was answered by nobody else.
  const verdicts = crowd.history.verdicts.filter(({ begin, end }) =>
    begin > cutAt + 1500 && end < Infinity
  );
  assert.deepEqual(verdicts, [], "a node that is cut off answered");
  await cut.heal();
}
