/** Two servers over one store, on either engine, that are killed and started again. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { newSealingKey } from "../../../../src/kernel/sealing/sealing-keys.ts";
import { type Engine, engines } from "../../../support/desk.ts";
import { createMigrated } from "../../../support/migrated-stores.ts";
import { type ServerProcess, startServerProcess, withFolder } from "../../../support/processes.ts";

const LEASES = ["alert_lease", "delivery_lease", "gateway_lease", "learning_lease"];

/** Long ago. */
export const PAST = "2020-01-01T00:00:00.000Z";

/** Two servers and their store. */
export interface TwoNodes {
  readonly nodes: [ServerProcess, ServerProcess];
  /** What the store has, or is made to have, past its servers. */
  sql(text: string): Promise<Record<string, unknown>[]>;
  /** Calls the first node as its administrator; fails unless the answer is 200. */
  // deno-lint-ignore no-explicit-any -- answers of several shapes
  sent(method: string, path: string, body?: unknown): Promise<any>;
  /**
   * Kills both nodes at once, has what they held be over, as it is in time, and starts others in
   * their place.
   */
  killed(): Promise<void>;
  /** Kills one of them, beside which the other goes on, and starts another in its place. */
  killedOne(n: 0 | 1): Promise<void>;
  readonly engine: Engine;
}

/** Runs a test with two nodes on each engine. */
export function testTwoNodes(
  promise: string,
  settings: Record<string, string> | (() => Record<string, string>),
  test: (two: TwoNodes) => Promise<void>,
): void {
  for (const engine of engines) {
    Deno.test({
      name: `${engine}: ${promise}`,
      sanitizeOps: false,
      sanitizeResources: false,
      fn: () => {
        const own = typeof settings === "function" ? settings() : settings;
        return withFolder((dataDir) => run(engine, dataDir, own, test));
      },
    });
  }
}

async function run(
  engine: Engine,
  dataDir: string,
  settings: Record<string, string>,
  test: (two: TwoNodes) => Promise<void>,
): Promise<void> {
  const url = engine === "postgres" ? await createMigrated() : undefined;
  const environment = {
    KEYDESK_ADMIN_TOKEN: "administrator-of-the-test-of-two-nodes",
    KEYDESK_PENDING_PER_ORGANISATION: "0",
    ...url ? { KEYDESK_DATABASE_URL: url, KEYDESK_SEALING_KEY: newSealingKey().trim() } : {},
    ...settings,
  };
  const start = () => startServerProcess({ dataDir, environment });
  const nodes: [ServerProcess, ServerProcess] = [await start(), await start()];
  const sql = (text: string) => url ? ofPostgres(url, text) : ofFile(dataDir, text);
  try {
    await test({
      engine,
      nodes,
      sql,
      sent: async (method, path, body) => {
        const answer = await nodes[0].send(method, path, body === undefined ? {} : { body });
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
        return answer.body;
      },
      killed: async () => {
        for (const node of nodes) node.kill("SIGKILL");
        for (const node of nodes) {
          await node.ended;
          await node[Symbol.asyncDispose]();
        }
        for (const lease of LEASES) {
          await sql(`update ${lease} set until = '${PAST}'`);
        }
        await sql(`update deliveries set due_at = '${PAST}'
          where state = 'waiting' and holder <> ''`);
        [nodes[0], nodes[1]] = await Promise.all([start(), start()]);
      },
      killedOne: async (n) => {
        await nodes[n][Symbol.asyncDispose]();
        nodes[n] = await start();
      },
    });
  } finally {
    for (const node of nodes) await node[Symbol.asyncDispose]();
  }
}

async function ofPostgres(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

function ofFile(dataDir: string, text: string): Promise<Record<string, unknown>[]> {
  const db = new DatabaseSync(join(dataDir, "keydesk.db"), { timeout: 10_000 });
  try {
    return Promise.resolve(db.prepare(text).all());
  } finally {
    db.close();
  }
}
