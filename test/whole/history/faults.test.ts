/** Nodes that are killed, connections that are cut: the history of all clients stays right. */
import assert from "node:assert/strict";
import pg from "pg";
import { newSealingKey } from "../../../src/kernel/sealing/sealing-keys.ts";
import { UNNOTICED_MS } from "../../../src/storage/engines/sqlite-changes.ts";
import { type Engine, engines } from "../../support/desk.ts";
import { effort } from "../../support/effort.ts";
import { eventually } from "../../support/eventually.ts";
import { createMigrated } from "../../support/migrated-stores.ts";
import { type ServerProcess, startServerProcess, withFolder } from "../../support/processes.ts";
import { Random } from "../../support/random.ts";
import { check } from "./check.ts";
import { Crowd, type Node } from "./clients.ts";
import { sitDown, sumUp } from "./committee-nodes.ts";
import { History } from "./history.ts";

const CLIENTS = 8;
/** Of a committee, beside these. */
const SEATS = 4;
const NODES = 2;
const KILLS = 4 * effort;
const LASTS_MS = 4000 * effort;
const SEED = Number(Deno.env.get("HISTORY_SEED") ?? "20260301");

for (const engine of engines) {
  Deno.test({
    name: `${engine}: history: nodes are killed${
      engine === "postgres" ? " and connections cut" : ""
    } under load, and nothing is lost, doubled or shown stale`,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: () => withFolder((dataDir) => disturb(engine, dataDir)),
  });
}

async function disturb(engine: Engine, dataDir: string): Promise<void> {
  const url = engine === "postgres" ? await createMigrated() : undefined;
  const sealingKey = newSealingKey().trim();
  const environment = {
    KEYDESK_ADMIN_TOKEN: "administrator-of-the-history-test",
    KEYDESK_SEALING_KEY: sealingKey,
    ...url ? { KEYDESK_DATABASE_URL: url } : {},
  };
  const servers: (ServerProcess | undefined)[] = [];
  const start = async (): Promise<ServerProcess> => {
    // As a supervisor does: a start whose connection is cut says so and ends.
    for (let attempt = 1;; attempt++) {
      try {
        return await startServerProcess({ dataDir, environment });
      } catch (error) {
        if (attempt === 10) throw error;
      }
    }
  };
  for (let n = 0; n < NODES; n++) servers.push(await start());
  try {
    const nodes = servers.map((_, n): Node => async (method, path, body, headers = {}) => {
      const server = servers[n];
      if (!server) throw new Error("the node is down");
      return await server.send(method, path, {
        body,
        headers,
        signal: AbortSignal.timeout(60_000),
      });
    });
    const crowd = new Crowd(new History(), nodes);
    await crowd.addPlan();
    const sitting = await sitDown(nodes, sealingKey);
    let isOver = false;
    const working = Promise.all(
      Array.from(
        { length: CLIENTS + SEATS },
        (_, n) =>
          (n < CLIENTS ? crowd : sitting.committee).work(new Random(SEED + n), () => isOver),
      ),
    );
    const random = new Random(SEED);
    let cuts = 0;
    const cutting = url ? cut(url, random, () => isOver, (n) => cuts += n) : Promise.resolve();
    const began = performance.now();
    for (let kill = 0; kill < KILLS; kill++) {
      await new Promise((resolve) => setTimeout(resolve, LASTS_MS / KILLS * random.next() * 2));
      const victim = random.below(NODES);
      const server = servers[victim];
      servers[victim] = undefined;
      await server?.[Symbol.asyncDispose]();
      servers[victim] = await start();
    }
    await eventually("more than 50 changes", () => crowd.acknowledged > 50);
    isOver = true;
    await Promise.all([working, cutting]);
    await crowd.lookAtEverything();
    const more: Record<string, string> = url ? {} : { KEYDESK_DATA_DIR: dataDir };
    const { problems, told } = await sumUp(engine, { ...environment, ...more }, sitting);

    assert.deepEqual(problems, []);
    assert.deepEqual(check(crowd.history, engine === "sqlite" ? UNNOTICED_MS : 0), []);
    const unknown = crowd.history.changes.filter(({ outcome }) => outcome === "unknown").length;
    console.log(
      `${engine}, seed ${SEED}: ${KILLS} kills, ${cuts} cuts, ${crowd.acknowledged} acknowledged, ` +
        `${unknown} unknown, ${crowd.history.sights.length} sights, ` +
        `${crowd.history.verdicts.length} verdicts, ${told}, longest gap ${
          Math.round(crowd.longestGapMs)
        } ms; ${Math.round(performance.now() - began)} ms`,
    );
  } finally {
    for (const server of servers) await server?.[Symbol.asyncDispose]();
  }
}

/** Ends a few connections of the nodes at a time, whatever they are doing. */
async function cut(
  url: string,
  random: Random,
  isOver: () => boolean,
  count: (n: number) => void,
): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: "the test" });
  await client.connect();
  while (!isOver()) {
    const { rowCount } = await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()
          and backend_type = 'client backend' and random() < $1`,
      [random.next() < 0.2 ? 1 : 0.2],
    );
    count(rowCount ?? 0);
    await new Promise((resolve) => setTimeout(resolve, 20 + random.below(150)));
  }
  await client.end();
}
