/**
 * What a call may wait for on PostgreSQL: conflicts, locks, connections and a standby that is gone.
 */
import assert from "node:assert/strict";
import pg from "pg";
import { Failure } from "../../../src/kernel/failure.ts";
import { newSealingKey, parseSealingKeys } from "../../../src/kernel/sealing/sealing-keys.ts";
import {
  defaultLimits,
  type PostgresLimits,
} from "../../../src/storage/engines/postgres-limits.ts";
import { openStorage } from "../../../src/storage/open-storage.ts";
import { defineTransaction, type Storage } from "../../../src/storage/storage.ts";
import { openTestDesk } from "../../support/desk.ts";
import { eventually } from "../../support/eventually.ts";
import { listIds, REQUESTS, smallRequest } from "../../support/key-requests.ts";
import { createMigrated } from "../../support/migrated-stores.ts";
import { startPostgres } from "../../support/postgres.ts";
import { insertScratch, rawSql, scratchRows } from "../conformance/scratch.ts";

const writer = { thread: false as const, transactions: [] };
const org_id = "org";
const rowOf = (id: string) => ({ rows: [{ org_id, id, name: id }] });

/** Opens a fresh store with these limits, beside a connection of the test's own. */
function onStore(
  promise: string,
  limits: Partial<PostgresLimits>,
  test: (storage: Storage, other: pg.Client) => Promise<void>,
): void {
  Deno.test({
    name: `postgres: ${promise}`,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      const url = await createMigrated();
      const keys = parseSealingKeys(newSealingKey());
      const location = { url, limits: { ...defaultLimits, ...limits } };
      const storage = await openStorage(location, keys, writer);
      const other = new pg.Client({ connectionString: url });
      await other.connect();
      try {
        await test(storage, other);
      } finally {
        await other.end();
        await storage.close();
      }
    },
  });
}

/** Whoever is in the way stays there until this is over: what is refused was not waited for. */
async function refused(work: Promise<unknown>): Promise<void> {
  await assert.rejects(
    work,
    (error) => error instanceof Failure && error.code === "unavailable",
  );
}

/** Fails in the database with this SQLSTATE, the first times that it is run. */
const failing = (state: string, times: number) => {
  let runs = 0;
  const transaction = defineTransaction("test.failing", async (tx, id: string) => {
    await insertScratch.run(tx, rowOf(id));
    if (++runs <= times) {
      await tx.rows(rawSql(`do $$ begin raise exception using errcode = '${state}'; end $$`), {});
    }
    return runs;
  });
  return { transaction, runs: () => runs };
};

onStore("conflicts are run again as a whole, up to a limit", {}, async (storage) => {
  for (const state of ["40001", "40P01"]) {
    assert.equal(await storage.commit(failing(state, 3).transaction, `kept-${state}`), 4);
    const hopeless = failing(state, Infinity);
    await refused(storage.commit(hopeless.transaction, `lost-${state}`));
    assert.equal(hopeless.runs(), 8);
  }
  const rows = await storage.reader.rows(scratchRows, { org_id });
  assert.deepEqual(rows.map(({ id }) => id), ["kept-40001", "kept-40P01"]);
});

onStore("another error is neither repeated nor taken for an absence", {}, async (storage) => {
  const wrong = failing("22012", Infinity);
  await assert.rejects(
    storage.commit(wrong.transaction, "x"),
    (error) => !(error instanceof Failure),
  );
  assert.equal(wrong.runs(), 1);
});

onStore(
  "a lock that somebody else holds is waited for so long, then it is 503",
  { lockMs: 300 },
  async (storage, other) => {
    await other.query("begin; lock table plans in access exclusive mode");
    await refused(storage.reader.rows(scratchRows, { org_id }));
    await refused(storage.commit(insertScratch, rowOf("a")));
    await other.query("rollback");
    await storage.commit(insertScratch, rowOf("a"));
  },
);

onStore("a statement that takes too long is 503", { statementMs: 300 }, async (storage) => {
  await refused(storage.reader.rows(rawSql("select pg_sleep(30)"), {}));
  await storage.commit(insertScratch, rowOf("a"));
});

onStore(
  "with every connection in use the next call waits so long, then it is 503",
  { pool: 2, patienceMs: 500 },
  async (storage) => {
    const gate = Promise.withResolvers<void>();
    const wait = defineTransaction("test.wait", async (tx, id: string) => {
      await insertScratch.run(tx, rowOf(id));
      await gate.promise;
    });
    const running = ["a", "b"].map((id) => storage.commit(wait, id));
    await refused(storage.reader.rows(scratchRows, { org_id }));
    await refused(storage.commit(insertScratch, rowOf("c")));
    gate.resolve();
    await Promise.all(running);
    assert.equal((await storage.reader.rows(scratchRows, { org_id })).length, 2);
  },
);

onStore(
  "a connection that ends in the middle of a transaction costs a second run and nothing else",
  {},
  async (storage, other) => {
    let runs = 0;
    const interrupted = defineTransaction("test.interrupted", async (tx, id: string) => {
      await insertScratch.run(tx, rowOf(id));
      if (++runs > 1) return;
      const row = await tx.row(rawSql<{ pid: number }>("select pg_backend_pid() as pid"), {});
      // Between two statements: nobody waits for an answer at that moment.
      await other.query("select pg_terminate_backend($1, 5000)", [row?.pid]);
      await new Promise((resolve) => setTimeout(resolve, 20));
    });
    await storage.commit(interrupted, "once");
    assert.equal(runs, 2);
    assert.equal((await storage.reader.rows(scratchRows, { org_id })).length, 1);
  },
);

onStore("marks of commits are taken away as they go", {}, async (storage) => {
  for (let n = 0; n < 30; n++) {
    await Promise.all([0, 1, 2, 3].map((m) => storage.commit(insertScratch, rowOf(`${n}-${m}`))));
  }
  const marks = await storage.reader.rows(rawSql("select id from commits"), {});
  assert.ok(marks.length <= 20, `${marks.length} marks`);
  const before = await storage.reader.rows(rawSql("select id from commits order by id"), {});
  // What changes nothing leaves none.
  const look = defineTransaction("test.look", (tx, _: null) => tx.rows(scratchRows, { org_id }));
  await storage.commit(look, null);
  const after = await storage.reader.rows(rawSql("select id from commits order by id"), {});
  assert.deepEqual(after, before);
});

Deno.test({
  name:
    "postgres: what the standby does not have is not acknowledged, whoever ends the wait for it",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    await using server = await startPostgres();
    const url = await server.createDatabase();
    await using desk = await openTestDesk("sqlite", {
      environment: {
        KEYDESK_DATABASE_URL: url,
        KEYDESK_SEALING_KEY: newSealingKey().trim(),
        KEYDESK_DATABASE_STATEMENT_MS: "500",
        KEYDESK_DATABASE_LOCK_MS: "300",
        KEYDESK_DATABASE_PATIENCE_MS: "1000",
      },
    });
    const operator = new pg.Client({ connectionString: url });
    await operator.connect();
    const order = async (sql: string) => void await operator.query(sql);
    await order("alter system set synchronous_standby_names = 'nobody'");
    await order("select pg_reload_conf()");
    await eventually("the setting is in force", async () => {
      const { rows: [row] } = await operator.query("show synchronous_standby_names");
      return row.synchronous_standby_names === "nobody";
    });
    let isOver = false;
    const cancelling = (async () => {
      while (!isOver) {
        // Then the server commits and answers, with a warning.
        await order(
          "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'",
        );
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    })();
    const sent = desk.send("POST", REQUESTS, { body: smallRequest() });
    const once = eventually("it is committed on this server", async () => {
      const { rows } = await operator.query("select id from key_requests");
      return rows.length === 1;
    });
    await once;
    // Every wait is ended, also those of whoever asks again: it is told while nobody has the
    // standby.
    const answer = await sent;
    isOver = true;
    await cancelling;
    assert.equal(answer.status, 503, await answer.text());
    await order("alter system reset synchronous_standby_names");
    await order("select pg_reload_conf()");
    await eventually(
      "it works",
      async () => (await desk.send("POST", REQUESTS, { body: smallRequest() })).ok,
    );
    assert.ok((await listIds(desk)).length >= 2);
    await operator.end();
  },
});
