/** Connections for work that lasts, and databases that no store may be made in. */
import assert from "node:assert/strict";
import pg from "pg";
import { newSealingKey } from "../../../src/kernel/sealing/sealing-keys.ts";
import { inspectPostgres } from "../../../src/storage/engines/postgres-inspection.ts";
import { openPostgresSession } from "../../../src/storage/engines/postgres-session.ts";
import { StoreInUse } from "../../../src/storage/engines/store-session.ts";
import { keydesk, temporaryFolder } from "../../support/command.ts";
import { startServerHere } from "../../support/server-here.ts";
import { sharedPostgres } from "../../support/postgres.ts";
import { rawSql } from "../conformance/scratch.ts";

function onPostgres(promise: string, fn: () => Promise<void>): void {
  Deno.test({
    name: `postgres: ${promise}`,
    sanitizeOps: false,
    sanitizeResources: false,
    fn,
  });
}

async function query(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(text).finally(() => client.end());
}

/** A fresh database whose role cuts what lasts longer than 100 ms. */
async function hastyDatabase(): Promise<string> {
  const server = await sharedPostgres();
  const url = new URL(await server.createDatabase());
  const role = `hasty_${crypto.randomUUID().replaceAll("-", "")}`;
  await query(
    url.href,
    `create role ${role} login superuser password 'secret';
    alter role ${role} set statement_timeout = 100;
    alter role ${role} set transaction_timeout = 100;
    alter role ${role} set idle_in_transaction_session_timeout = 100`,
  );
  [url.username, url.password] = [role, "secret"];
  return url.href;
}

const pause = rawSql("select pg_sleep(0.3)");
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

onPostgres(
  "a session's work has no limit, whatever the role says, as a transaction or not",
  async () => {
    const session = await openPostgresSession(await hastyDatabase());
    try {
      await session.rows(pause, {});
      await session.exec("select pg_sleep(0.3)");
      await session.exec("begin");
      await session.rows(pause, {});
      await wait(300);
      await session.rows(pause, {});
      await session.exec("commit");
      // One that fails leaves no transaction behind.
      await assert.rejects(session.rows(rawSql("select 1 / 0"), {}), /division by zero/);
      await session.rows(pause, {});
    } finally {
      await session.close();
    }
  },
);

onPostgres("an inspection writes nothing", async () => {
  const url = await (await sharedPostgres()).createDatabase();
  const inspection = await inspectPostgres(url);
  try {
    const { connection } = inspection;
    await assert.rejects(connection.rows(rawSql("create table t (a int)"), {}), /read-only/);
  } finally {
    await inspection.close();
  }
});

onPostgres("a database that can't hold every text is refused, and SQL_ASCII is told", async () => {
  const server = await sharedPostgres();
  const KEYDESK_SEALING_KEY = newSealingKey().trim();
  for (const [encoding, works] of [["LATIN1", false], ["SQL_ASCII", true]] as const) {
    const url = new URL(server.url);
    url.pathname = `/in_${encoding.toLowerCase()}`;
    await query(
      server.url,
      `create database ${
        url.pathname.slice(1)
      } encoding '${encoding}' locale 'C' template template0`,
    );
    await using folder = await temporaryFolder();
    const settings = {
      KEYDESK_DATABASE_URL: url.href,
      KEYDESK_DATA_DIR: folder.path,
      KEYDESK_SEALING_KEY,
    };
    const seeded = await keydesk(["seed"], settings);
    assert.equal(seeded.code, works ? 0 : 1, seeded.stderr);
    if (!works) assert.match(seeded.stderr, /encoded in LATIN1, .* encoding 'UTF8'/);
    const { stdout } = await keydesk(["doctor"], { ...settings, KEYDESK_PORT: "0" });
    assert.match(stdout, works ? /^warn +database +.*SQL_ASCII/m : /^fail +database +.*LATIN1/m);
  }
});

onPostgres("another search_path makes no second store, unless a new one is asked for", async () => {
  const url = await (await sharedPostgres()).createDatabase();
  const role = `moved_${crypto.randomUUID().replaceAll("-", "")}`;
  await query(
    url,
    `create schema first authorization pg_database_owner; create schema second;
    create role ${role} login superuser password 'secret';
    alter role ${role} set search_path = first`,
  );
  const theirs = new URL(url);
  [theirs.username, theirs.password] = [role, "secret"];
  await using folder = await temporaryFolder();
  const settings = {
    KEYDESK_DATABASE_URL: theirs.href,
    KEYDESK_DATA_DIR: folder.path,
    KEYDESK_SEALING_KEY: newSealingKey().trim(),
  };
  assert.equal((await keydesk(["seed"], settings)).code, 0);
  await query(url, `alter role ${role} set search_path = second`);
  for (const words of [["serve"], ["seed"], ["upgrade"]]) {
    const refused = await keydesk(words, { ...settings, KEYDESK_PORT: "0" });
    assert.notEqual(refused.code, 0, words.join(" "));
    assert.match(refused.stderr, /schema second of the database holds no store, and schema first/);
  }
  await query(url, "create table if not exists second.nothing (a int)");
  const another = { ...settings, KEYDESK_SEALING_KEY: newSealingKey().trim() };
  const own = await keydesk(["seed"], another);
  assert.equal(own.code, 0, own.stderr);
  await query(url, `create schema third; alter role ${role} set search_path = third`);
  assert.equal((await keydesk(["seed", "--new"], settings)).code, 0);
});

onPostgres(
  "who moves a store waits for servers that live, not for a pooler's connections",
  async () => {
    const server = await sharedPostgres();
    const url = await server.createDatabase();
    await using folder = await temporaryFolder();
    const settings = {
      KEYDESK_DATABASE_URL: url,
      KEYDESK_DATA_DIR: folder.path,
      KEYDESK_SEALING_KEY: newSealingKey().trim(),
    };
    const left = new pg.Client({ connectionString: url, application_name: "keydesk" });
    await left.connect();
    try {
      {
        await using _ = await startServerHere({ ...settings, KEYDESK_PORT: "0" });
        const session = await openPostgresSession(url);
        await assert.rejects(
          session.lockAlone(),
          (error) =>
            error instanceof StoreInUse &&
            /server .* s ago.*connection \d+ from/.test(error.message),
        );
        await session.close();
      }
      const session = await openPostgresSession(url);
      await session.lockAlone();
      await session.close();
    } finally {
      await left.end();
    }
  },
);
