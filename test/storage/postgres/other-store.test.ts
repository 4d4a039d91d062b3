/**
 * A database that is dropped, or made anew, beneath a running desk: nothing is acknowledged into
 * what stands there.
 */
import assert from "node:assert/strict";
import pg from "pg";
import { openTestDesk, type TestDesk } from "../../support/desk.ts";
import { chosenEngines } from "../../support/engines.ts";
import { eventually } from "../../support/eventually.ts";
import { create, REQUESTS, smallRequest } from "../../support/key-requests.ts";
import { testStore } from "../../support/stores.ts";
import { openStorage } from "../../../src/storage/open-storage.ts";
import { ask } from "../../support/verification.ts";

const ignore = !chosenEngines(["sqlite", "postgres"]).includes("postgres");

function onDatabase(promise: string, test: (desk: TestDesk, url: string) => Promise<void>): void {
  Deno.test({
    name: `postgres: ${promise}`,
    ignore,
    // The shared server outlives the single test.
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      await using desk = await openTestDesk("postgres");
      await create(desk, smallRequest());
      await test(desk, desk.config.DATABASE_URL ?? "");
    },
  });
}

/** Runs statements beside the desk; `database`: in another database of the same server. */
async function sql(url: string, texts: readonly string[], database?: string): Promise<unknown[]> {
  const at = new URL(url);
  if (database !== undefined) at.pathname = `/${database}`;
  const client = new pg.Client({ connectionString: at.href });
  await client.connect();
  try {
    let rows: unknown[] = [];
    for (const text of texts) rows = (await client.query(text)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

/** What another node does at its start. */
async function migrated(url: string): Promise<void> {
  await using store = await testStore("sqlite");
  await (await openStorage({ url }, store.keys, { thread: false, transactions: [] })).close();
}

async function assertLost(desk: TestDesk): Promise<void> {
  for (let n = 0; n < 3; n++) {
    assert.equal((await desk.send("POST", REQUESTS, { body: smallRequest() })).status, 503);
  }
  const answer = await desk.send("GET", "/readyz", { credential: null });
  assert.equal(answer.status, 503);
  assert.match(JSON.stringify(await answer.json()), /store_lost since/);
  assert.deepEqual(desk.app.ctx.problems.current().map(({ reason }) => reason), [
    "the database is not the one that was opened",
  ]);
}

const dropSchema = ["drop schema public cascade", "create schema public"];

onDatabase(
  "a database made anew in the place of the one that was opened takes nothing",
  async (desk, url) => {
    const name = new URL(url).pathname.slice(1);
    await sql(
      url,
      [`drop database "${name}" with (force)`, `create database "${name}"`],
      "postgres",
    );
    await migrated(url);
    await assertLost(desk);
    assert.deepEqual(await sql(url, ["select id from key_requests"]), []);
  },
);

onDatabase("a schema made anew beneath open connections takes nothing", async (desk, url) => {
  await sql(url, dropSchema);
  await migrated(url);
  await assert.rejects(desk.token(["portal:read"]), { code: "unavailable" });
  assert.deepEqual(await sql(url, ["select id from access_tokens"]), []);
  await assertLost(desk);
});

onDatabase("a schema that is gone is no mistake of ours: 503, and told", async (desk, url) => {
  await sql(url, dropSchema);
  await assertLost(desk);
});

onDatabase(
  "a change is refused by its commit alone where the rows are the same in the new place",
  async (desk, url) => {
    // Everything that a change reads is there, but the store is another one.
    await sql(url, [
      "alter table schema_versions rename to old_versions",
      "create table schema_versions (like old_versions including all)",
      "insert into schema_versions select * from old_versions",
    ]);
    const before = await sql(url, ["select id from key_requests"]);
    assert.equal((await desk.send("POST", REQUESTS, { body: smallRequest() })).status, 503);
    assert.deepEqual(await sql(url, ["select id from key_requests"]), before);
    await assertLost(desk);
  },
);

onDatabase(
  "a full database: 503 for changes and /readyz, until there is room again",
  async (desk, url) => {
    await sql(url, [
      `create function no_room() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`,
      "create trigger no_room before insert on key_requests execute function no_room()",
    ]);
    const ready = async (query = "") =>
      (await desk.send("GET", `/readyz${query}`, { credential: null })).status;
    await eventually("changes have failed for five seconds", async () => {
      const refused = await desk.send("POST", REQUESTS, { body: smallRequest() });
      assert.equal(refused.status, 503);
      assert.match((await refused.json()).Message, /the store is full \(SQLSTATE 53100\)/);
      return await ready() === 503;
    });
    assert.equal(await ready("?for=verify"), 200);
    assert.equal((await ask(desk, { key: "of-nobody" })).status, 200);
    assert.deepEqual(
      desk.app.ctx.problems.current().map(({ name, reason }) => [name, reason]),
      [["writes_fail", "53100"]],
    );
    await sql(url, ["drop trigger no_room on key_requests"]);
    await eventually("there is room again", async () => await ready() === 200);
    await create(desk, smallRequest());
  },
);
