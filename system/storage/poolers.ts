/** Two nodes behind a pooler that gives each transaction another connection of the server. */
import assert from "node:assert/strict";
import pg from "pg";
import { sha256 } from "../../src/kernel/sha256.ts";
import { newSealingKey } from "../../src/kernel/sealing/sealing-keys.ts";
import { watchCommits, witnessedCommits } from "../../test/support/commit-witness.ts";
import { keydesk } from "../../test/support/command.ts";
import { eventually } from "../../test/support/eventually.ts";
import { startPostgres } from "../../test/support/postgres.ts";
import {
  type ServerAnswer,
  type ServerProcess,
  startServerProcess,
  withFolder,
} from "../../test/support/processes.ts";
import { startPooler } from "../support/pgbouncer.ts";

const ADMINISTRATOR = "administrator-of-the-pooler-test";
/** Clients of each node, and what each does. */
const CLIENTS = 8;
const ROUNDS = 12;

/**
 * Both nodes start through the pooler and work at once; the server's processes are killed
 * meanwhile, a node is restarted, and a job runs. No call is an error of the server, each key that
 * one node revokes is soon refused by the other, and each commit waits for the disk although the
 * role says otherwise. `keeps`: whether the pooler keeps prepared statements.
 */
export async function walkBehindPooler({ program, keeps }: { program?: string; keeps: boolean }) {
  await withFolder(async (dataDir) => {
    await using postgres = await startPostgres();
    const url = await postgres.createDatabase();
    await run(postgres.url, "alter role postgres set synchronous_commit = off");
    await using pooler = await startPooler(url, {
      mode: "transaction",
      ...program === undefined ? {} : { program },
      settings: keeps ? { max_prepared_statements: 200 } : {},
    });
    const environment = {
      KEYDESK_ADMIN_TOKEN: ADMINISTRATOR,
      KEYDESK_DATABASE_URL: pooler.through(url),
      KEYDESK_SEALING_KEY: newSealingKey().trim(),
    };
    const start = () => startServerProcess({ dataDir, environment });
    const first = await start();
    await watchCommits(url);
    const nodes = [first, await start()];
    try {
      const plan = { _id: "weather", id: "weather", name: "Weather", active: true };
      const added = await first.send("POST", "/api/portal/policies", { body: plan });
      assert.equal(added.status, 200);
      await toldAs(first, keeps);
      const statuses = new Map<number, number>();
      const working = nodes.flatMap((node, n) =>
        Array.from(
          { length: CLIENTS },
          (_, c) => work(node, nodes[1 - n] ?? node, `client-${n}-${c}`, statuses),
        )
      );
      await run(
        postgres.url,
        `select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'keydesk' and pid % 2 = 0`,
      );
      const keys = (await Promise.all(working)).flat();
      assert.deepEqual([...statuses.keys()].filter((one) => one !== 200 && one !== 503), []);
      const [good = 0, away = 0] = [statuses.get(200), statuses.get(503)];
      assert.ok(away < 0.02 * good, JSON.stringify([...statuses]));
      // It reads alone, over connections that the nodes write over next.
      const checked = await keydesk(["check"], environment);
      assert.equal(checked.code, 0, checked.stdout);
      await suspendedByJob(nodes, keys);
      nodes[1]?.kill("SIGTERM");
      assert.equal((await nodes[1]?.ended)?.code, 0);
      nodes[1] = await start();
      const again = await nodes[1].send("GET", "/api/portal/requests?p=1");
      assert.equal(again.status, 200);
      assert.deepEqual(await witnessedCommits(url), ["on"]);
    } finally {
      for (const node of nodes) await node[Symbol.asyncDispose]();
    }
  });
}

/** The node tells its administrator what the pooler and the server lack. */
async function toldAs(node: ServerProcess, keeps: boolean): Promise<void> {
  const { body: { warnings } } = await node.send("GET", "/v1/server");
  const all = (warnings as string[]).join("\n");
  for (const limit of ["statement_timeout", "lock_timeout", "idle_in_transaction_session"]) {
    assert.match(all, new RegExp(`the database keeps no ${limit}.*alter role`));
  }
  assert[keeps ? "doesNotMatch" : "match"](all, /keeps no prepared statements/);
}

/** Files, approves and verifies; one key of two is revoked, which the other node sees soon. */
async function work(
  node: ServerProcess,
  other: ServerProcess,
  by_user: string,
  statuses: Map<number, number>,
): Promise<string[]> {
  const call = async (
    at: ServerProcess,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<ServerAnswer["body"] | undefined> => {
    const answer = await at.send(method, path, body === undefined ? {} : { body });
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    return answer.status === 200 ? answer.body : undefined;
  };
  const keys: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const filed = await call(node, "POST", "/api/portal/requests", {
      by_user,
      for_plan: "weather",
    });
    if (!filed) continue;
    const approved = await call(other, "PUT", `/api/portal/requests/approve/${filed.Message}`);
    if (!approved) continue;
    const { RawKey: key } = approved;
    const verify = async () => (await call(other, "POST", "/v1/keys/verify", { key }))?.valid;
    assert.notEqual(await verify(), false);
    await call(node, "GET", "/api/portal/requests?p=1");
    if (round % 2 === 0) {
      keys.push(key);
      continue;
    }
    const path = `/v1/keys/${sha256(key)}/revoke`;
    const revoked = await call(node, "POST", path, { reason: "a test" });
    if (revoked) {
      await eventually("the other node refuses a revoked key", async () => !await verify());
    }
  }
  return keys;
}

/** A job that one node is given has all keys suspended, as the other one sees. */
async function suspendedByJob(
  [first, second]: readonly ServerProcess[],
  keys: readonly string[],
): Promise<void> {
  assert.ok(first && second && keys.length > 0);
  const { status, body } = await first.send("POST", "/v1/jobs", {
    body: { kind: "suspend_keys", ids: keys.map((key) => sha256(key)), reason: "a test" },
  });
  assert.equal(status, 200, JSON.stringify(body));
  for (;;) {
    const { body: job }: ServerAnswer = await second.send("GET", `/v1/jobs/${body.id}`);
    if (job.state === "done") break;
    assert.ok(["preparing", "running"].includes(job.state), job.state);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  for (const key of keys.slice(0, 5)) {
    const { body } = await second.send("POST", "/v1/keys/verify", { body: { key } });
    assert.equal(body.valid, false);
  }
}

async function run(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(text).finally(() => client.end());
}
