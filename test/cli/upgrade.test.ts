/** docs/upgrading.md, walked through: old code and new code on one store, and the way back. */
import { type Compilable, sql } from "kysely";
import assert from "node:assert/strict";
import { join } from "node:path";
import { newSealingKey } from "../../src/kernel/sealing/sealing-keys.ts";
import { migrateSession, stepsOf } from "../../src/storage/migrate-session.ts";
import { missingSteps } from "../../src/storage/migrate.ts";
import { migrations } from "../../src/storage/migrations/list.ts";
import type { Migration } from "../../src/storage/migrations/migration.ts";
import { openSession } from "../../src/storage/open-session.ts";
import { keydesk, startServerProcess, temporaryFolder } from "../support/command.ts";
import { sharedPostgres } from "../support/postgres.ts";
import { runSql } from "../support/stores.ts";
import { linesOf } from "../support/doors.ts";
import { testOnStores } from "../support/unopened-stores.ts";

const ours = migrations.at(-1)?.version ?? 0;
const REQUESTS = "/api/portal/requests";

/**
 * What a later release would bring: a step that this code can live with, and one that leaves it
 * behind.
 */
const gentle = later(ours + 1, "a column that old code does not know", ours, [
  "alter table key_requests add column priority text",
  "create table priorities (org_id text not null, id text not null, primary key (org_id, id))",
]);
const harsh = later(ours + 2, "old code would write what new code can't read", ours + 2, [
  "alter table key_requests add column importance text",
]);

function later(version: number, name: string, oldestCode: number, texts: string[]): Migration {
  return {
    version,
    name,
    oldestCode,
    statements: (db): Compilable[] =>
      texts.map((text) => ({ compile: () => sql.raw(text).compile(db) })),
  };
}

testOnStores(
  "upgrade: old code serves beside a schema that it can live with, and goes back to it",
  async ({ folder, location, settings: leading }) => {
    const admin = "administrator-of-the-upgrade-test-0001";
    const settings = { ...leading, KEYDESK_ADMIN_TOKEN: admin };
    const url = leading.KEYDESK_DATABASE_URL;
    const asNewRelease = async (steps: Migration[]) => {
      const session = await openSession(location);
      try {
        const applied = await stepsOf(session);
        const missing = missingSteps(applied, [...migrations, ...steps]);
        await migrateSession(session, [...migrations, ...steps]);
        return missing.map(({ version }) => version);
      } finally {
        await session.close();
      }
    };
    const send = async (server: string, method: string, path: string, body?: unknown) => {
      const response = await fetch(`${server}${path}`, {
        method,
        headers: { authorization: admin },
        ...body === undefined ? {} : { body: JSON.stringify(body) },
      });
      const answer = await response.json();
      assert.equal(response.status, 200, JSON.stringify(answer));
      return answer;
    };
    const plan = { _id: "p", id: "p", name: "The plan" };
    const walk = async (server: string) => {
      const { Message: id } = await send(server, "POST", REQUESTS, { by_user: "d", for_plan: "p" });
      const { RawKey } = await send(server, "PUT", `${REQUESTS}/approve/${id}`);
      const verdict = await send(server, "POST", "/v1/keys/verify", { key: RawKey });
      assert.equal(verdict.valid, true);
      return id;
    };

    let backup = "";
    {
      const old = await startServerProcess(settings);
      await send(old.url, "POST", "/api/portal/policies", plan);
      const first = await walk(old.url);
      // 1. A backup, and a look at what the new release would do.
      backup = join(folder, "before.db");
      if (!url) assert.equal((await keydesk(["backup", backup], settings)).code, 0);
      await old.stop();
      // Nobody may be connected to what the test copies; a dump would not mind.
      if (url) backup = await (await sharedPostgres()).createDatabase(url);
      assert.equal((await keydesk(["upgrade", "--dry-run"], settings)).code, 0);
      // 2. The new release's schema arrives while an old node serves.
      await using second = await startServerProcess(settings);
      assert.deepEqual(await asNewRelease([gentle]), [ours + 1]);
      assert.deepEqual(await asNewRelease([gentle]), []);
      // 3. Old nodes go on: they write, read, approve and verify, beside each other.
      await walk(second.url);
      assert.equal((await send(second.url, "GET", `${REQUESTS}/${first}`)).id, first);
    }
    // 4. The way back without a restore: old code starts on the new schema, and leaves it alone.
    {
      await using old = await startServerProcess(settings);
      await walk(old.url);
      const migrated = await keydesk(["upgrade"], settings);
      assert.deepEqual([migrated.code, migrated.stdout], [0, `up to date: schema ${ours}\n`]);
    }
    // 5. A release that leaves old code behind: it says so, starts nothing and changes nothing.
    assert.deepEqual(await asNewRelease([gentle, harsh]), [ours + 2]);
    for (const words of [["serve"], ["token", "list"], ["upgrade"], ["upgrade", "--dry-run"]]) {
      const { code, stdout, stderr } = await keydesk(words, settings);
      assert.deepEqual([code, stdout], [1, ""], words.join(" "));
      assert.match(
        stderr,
        new RegExp(`has schema ${ours + 2}, which needs code of schema ${ours + 2}`),
      );
    }
    // 6. The way back from there is the backup.
    if (!url) assert.equal((await keydesk(["restore", backup, "--replace"], settings)).code, 0);
    const back = url ? { ...settings, KEYDESK_DATABASE_URL: backup } : settings;
    await using old = await startServerProcess(back);
    assert.equal((await send(old.url, "GET", `${REQUESTS}?p=1`)).Data.length, 1);
    await walk(old.url);
  },
);

Deno.test({
  name: "migrate: an empty place, a dry run, twice, and in JSON",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    await using folder = await temporaryFolder();
    const url = await (await sharedPostgres()).createDatabase();
    const places: Record<string, string>[] = [
      { KEYDESK_DATA_DIR: join(folder.path, "new") },
      { KEYDESK_DATABASE_URL: url, KEYDESK_SEALING_KEY: newSealingKey().trim() },
    ];
    for (const settings of places) {
      const dry = await keydesk(["upgrade", "--dry-run", "--json"], settings);
      assert.equal(dry.code, 3, dry.stderr);
      const steps: { version: number; name: string }[] = linesOf(dry.stdout);
      assert.deepEqual(
        steps.map(({ version }) => version),
        migrations.map(({ version }) => version),
      );
      const place = settings.KEYDESK_DATA_DIR ?? "the database at ";
      assert.ok(dry.stderr.startsWith(`keydesk: there is no store in ${place}`), dry.stderr);
      assert.match(
        dry.stderr,
        /\(KEYDESK_(DATA_DIR|DATABASE_URL)\): \d+ steps to do; nothing was changed\n$/,
      );
      // It told the truth: everything is still to do.
      assert.equal((await keydesk(["upgrade", "--dry-run"], settings)).code, 3);
      const done = await keydesk(["upgrade"], settings);
      assert.deepEqual([done.code, done.stdout.split("\n").length - 1], [0, migrations.length]);
      assert.match(done.stdout, /^done: step 12, start; serves code of schema 10 and later\n/);
      const again = await keydesk(["upgrade", "--dry-run"], settings);
      assert.deepEqual([again.code, again.stdout], [0, `up to date: schema ${ours}\n`]);
      assert.equal((await keydesk(["seed"], settings)).code, 0);
    }
  },
});

testOnStores(
  "upgrade: what only reads leaves a store of the earlier schema as it is",
  async ({ settings, location }) => {
    assert.equal((await keydesk(["seed"], settings)).code, 0);
    await runSql(location, [`delete from schema_versions where version = ${ours}`]);
    for (
      const words of [["audit", "verify"], ["audit", "checkpoint"], ["purge", "--dry-run"], [
        "export",
        "audit",
      ]]
    ) {
      const { code, stdout, stderr } = await keydesk(words, settings);
      assert.deepEqual([code, stdout], [1, ""], words.join(" "));
      assert.match(stderr, /what only reads makes no steps: `keydesk upgrade` makes them/);
    }
    const session = await openSession(location);
    const steps = await stepsOf(session).finally(() => session.close());
    assert.equal(steps.at(-1)?.version, ours - 1);
  },
);
