/** The primary is lost under load, again and again: what was acknowledged is there, once. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { newSealingKey } from "../../src/kernel/sealing/sealing-keys.ts";
import { effort } from "../../test/support/effort.ts";
import {
  type ServerProcess,
  startServerProcess,
  withFolder,
} from "../../test/support/processes.ts";
import { Random } from "../../test/support/random.ts";
import { check } from "../../test/whole/history/check.ts";
import { Crowd, type Node } from "../../test/whole/history/clients.ts";
import { History } from "../../test/whole/history/history.ts";
import { Cut } from "../support/network-cut.ts";
import { PostgresPair } from "../support/postgres-pair.ts";

const ROUNDS = effort === 1 ? 5 : 3 * effort;
const CLIENTS = 10;
/** One text file for each case. */
const TABLES = fileURLToPath(new URL("../../.tmp/fail-over", import.meta.url));
const SEED = Number(Deno.env.get("FAILOVER_SEED") ?? "20260601");
/** What a call may take: the patience, as much for finding out what became of a commit, and what hangs at the end of it. */
const LONGEST_CALL_MS = 20_000;

const options = { sanitizeOps: false, sanitizeResources: false };

/** Nodes of one database with a crowd of clients, for as long as `work` lasts. */
async function underLoad(
  pair: PostgresPair,
  how: { under?: string[]; host?: string },
  work: (crowd: Crowd, node: ServerProcess, spare: () => Promise<ServerProcess>) => Promise<void>,
): Promise<Crowd> {
  const crowds: Crowd[] = [];
  await withFolder(async (dataDir) => {
    const environment = {
      KEYDESK_ADMIN_TOKEN: "administrator-of-the-failover-test",
      KEYDESK_DATABASE_URL: pair.url,
      KEYDESK_SEALING_KEY: newSealingKey().trim(),
      KEYDESK_HOST: how.host ?? "127.0.0.1",
    };
    const servers: ServerProcess[] = [];
    const start = async (more: Record<string, string> = {}) => {
      const server = await startServerProcess({
        dataDir,
        environment: { ...environment, ...more },
        ...how.under ? { under: how.under } : {},
      });
      servers.push(server);
      return server;
    };
    try {
      const first = await start();
      await start();
      const nodes = servers.map((server): Node => (method, path, body) =>
        server.send(method, path, { body, signal: AbortSignal.timeout(60_000) })
      );
      const crowd = new Crowd(new History(), nodes);
      await crowd.addPlan();
      crowds.push(crowd);
      let isOver = false;
      const working = Promise.all(Array.from(
        { length: CLIENTS },
        (_, n) => crowd.work(new Random(SEED + n), () => isOver),
      ));
      try {
        await work(crowd, first, () => start({ KEYDESK_VERIFY_STALE: "allow" }));
      } finally {
        isOver = true;
        await working;
      }
      await crowd.lookAtEverything();
    } finally {
      for (const server of servers) await server[Symbol.asyncDispose]();
    }
  });
  const [crowd] = crowds;
  assert.ok(crowd);
  return crowd;
}

/** Waits until this many more changes are acknowledged. */
async function acknowledged(crowd: Crowd, more: number): Promise<void> {
  const wanted = crowd.acknowledged + more;
  const deadline = performance.now() + 60_000;
  while (crowd.acknowledged < wanted) {
    assert.ok(performance.now() < deadline, "the nodes never found the new primary");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const credentialsTwice =
  "select request_id from credentials group by request_id having count(*) > 1";

interface Result {
  kills: number;
  promotions: number;
  crowd: Crowd;
  broken: string[];
  doubledRows: number;
}

/** The table that `npm run test:system` ends with, which reads it from this folder; and the assertions behind it. */
async function conclude(
  title: string,
  { kills, promotions, crowd, broken, doubledRows }: Result,
): Promise<void> {
  const { changes, sights, verdicts } = crowd.history;
  const done = (kind: string) =>
    changes.filter((change) => change.kind === kind && change.outcome === "ok").length;
  const twice = broken.filter((text) => /succeeded \d+ times/.test(text)).length;
  const calls = [...changes, ...sights, ...verdicts].filter(({ end }) => end < Infinity);
  const longest = calls.reduce((most, { begin, end }) => Math.max(most, end - begin), 0);
  const kinds = ["create", "update", "approve", "revoke", "delete"];
  const rows: [string, string | number][] = [
    ["kills of the primary", kills],
    ["promotions", promotions],
    ["acknowledged changes", crowd.acknowledged],
    ...kinds.map((kind): [string, number] => [`  ${kind}`, done(kind)]),
    ["unknown outcomes", changes.filter(({ outcome }) => outcome === "unknown").length],
    ["reads and verdicts", sights.length + verdicts.length],
    ["lost", broken.length - twice],
    ["doubled", twice + doubledRows],
    ["longest write gap", `${(crowd.longestGapMs / 1000).toFixed(1)} s`],
    ["longest answered call", `${(longest / 1000).toFixed(1)} s`],
  ];
  const lines = rows.map(([name, value]) => `  ${name.padEnd(24)}${value}`);
  await Deno.mkdir(TABLES, { recursive: true });
  const text = ["", `${title} (seed ${SEED})`, ...lines, ""].join("\n");
  await Deno.writeTextFile(join(TABLES, `${title.replaceAll(/\W+/g, "-")}.txt`), text);
  assert.deepEqual(broken, []);
  assert.equal(doubledRows, 0);
  console.log(`${title}, ${rows.map(([name, value]) => `${name.trim()}: ${value}`).join(", ")}`);
  for (const kind of kinds) assert.ok(done(kind) > 0, `no ${kind} was acknowledged`);
  assert.ok(longest < LONGEST_CALL_MS, `a call took ${longest} ms`);
}

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
    const crowd = await underLoad(pair, {}, async (crowd) => {
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
    await conclude("Fail-over", { kills, promotions: pair.promotions, crowd, broken, doubledRows });
  },
});

Deno.test({
  name: "fail-over: a network that drops everything between nodes and primary, healed and not",
  ...options,
  fn: async () => {
    await using cut = await Cut.start();
    await using pair = await PostgresPair.start(cut.outside);
    const how = { under: cut.under, host: cut.inside };
    const crowd = await underLoad(pair, how, async (crowd, node, startSpare) => {
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
    await conclude("Partition", {
      kills: 1,
      promotions: pair.promotions,
      crowd,
      broken,
      doubledRows,
    });
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
