/** A store that was moved answers as the one that it came from, and goes on from there. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { translationOf } from "../../../src/maintenance/move-store/translation.ts";
import { indexChanges } from "../../../src/features/key-requests/search.transactions.ts";
import { newSealingKey } from "../../../src/kernel/sealing/sealing-keys.ts";
import { beginMove } from "../../../src/maintenance/move-store/begin-move.ts";
import { MoveRefused } from "../../../src/maintenance/move-store/in-move.ts";
import {
  copyTables,
  MoveDiffers,
  openTarget,
  translationFor,
  verifyTables,
} from "../../../src/maintenance/move-store/move-store.ts";
import { openAgain } from "../../../src/maintenance/move-store/moving.store.ts";
import { makeDemo } from "../../../src/maintenance/seed/demo.ts";
import { seedTransaction } from "../../../src/maintenance/seed/seed.transactions.ts";
import { StoreInUse, type StoreSession } from "../../../src/storage/engines/store-session.ts";
import { migrateSession } from "../../../src/storage/migrate-session.ts";
import { SchemaTooNew } from "../../../src/storage/schema-errors.ts";
import { migrations } from "../../../src/storage/migrations/list.ts";
import { toTimestamp } from "../../../src/kernel/clock.ts";
import { openSession } from "../../../src/storage/open-session.ts";
import { builders, type Dialect } from "../../../src/storage/statement.ts";
import { add, made } from "../../support/certificates.ts";
import { temporaryFolder } from "../../support/command.ts";
import { type Engine, engines, openTestDesk, type TestDesk } from "../../support/desk.ts";
import { create, smallRequest } from "../../support/key-requests.ts";
import { sharedPostgres } from "../../support/postgres.ts";

const key = newSealingKey().trim();
const nothing = () => {};

/** A place for a store of an engine. */
async function place(engine: Engine, folder: string, name: string) {
  if (engine === "sqlite") {
    await Deno.mkdir(join(folder, name));
    const path = join(folder, name, "keydesk.db");
    const settings: Record<string, string> = { KEYDESK_DATA_DIR: join(folder, name) };
    return { location: { path }, settings };
  }
  const url = await (await sharedPostgres()).createDatabase();
  const settings: Record<string, string> = { KEYDESK_DATABASE_URL: url };
  return { location: { url }, settings };
}

type Place = Awaited<ReturnType<typeof place>>;

function openAt(engine: Engine, { settings }: Place): Promise<TestDesk> {
  return openTestDesk(engine, { environment: { ...settings, KEYDESK_SEALING_KEY: key } });
}

async function move(from: Place, to: Place): Promise<void> {
  const source = await openSession(from.location);
  const target = await openSession(to.location);
  try {
    const { move } = await beginMove(source, target);
    const translation = await translationFor(move);
    await copyTables(move, translation, nothing);
    await verifyTables(move, translation, nothing);
    await openTarget(move);
  } finally {
    await target.close();
    await source.close();
  }
}

/** What is asked before and after: lists, pages, searches, counts, secrets. */
const questions = [
  "/api/portal/requests",
  "/api/portal/requests?p=2",
  "/v1/key-requests?limit=7&sort=oldest",
  "/v1/key-requests?q=weather&limit=50",
  "/v1/key-requests?q=example",
  "/v1/key-requests/counts",
  "/v1/keys?limit=50",
  "/api/portal/developers",
  "/api/portal/policies",
  "/v1/claims",
  "/api/certs?mode=detailed&p=1",
  "/api/certs?mode=detailed&q=host-1&sort=subject_cn",
  "/api/certs?p=-1&filter=without_pk&mode=detailed",
  "/api/certs?mode=detailed&p=1&sort=not_after",
  "/api/portal/catalogue",
  "/api/portal/configuration",
];

async function answers(desk: TestDesk, credentials: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const credential of credentials) {
    for (const question of questions) {
      const response = await desk.send("GET", question, { credential });
      found.push(`${question} ${response.status} ${await response.text()}`);
    }
  }
  return found;
}

async function fill(desk: TestDesk): Promise<string> {
  const { storage } = desk.app.ctx;
  await storage.commit(seedTransaction, makeDemo(desk.org_id, Date.parse("2026-03-01T00:00:00Z")));
  const { admin } = await desk.otherOrganisation();
  for (const credential of [desk.admin, admin]) {
    for (let i = 0; i < 25; i++) {
      const own = credential === admin ? "b" : "a";
      const pem = made({ cn: `host-${i}.${own}.example`, serial: `0${i % 10}`, ca: i % 3 === 0 });
      await add(desk, pem, { credential });
    }
    await create(desk, smallRequest({ jwt_secret: "kept sealed", by_user: "ünïcode 日本" }), {
      credential,
    });
  }
  while (await storage.commit(indexChanges, { from: "" }) > 0);
  // One more that the search does not know yet.
  await create(desk, smallRequest({ by_user: "a weather person" }));
  return admin;
}

for (const from of engines) {
  for (const to of engines) {
    onEngines(
      `${from} → ${to}: the moved store answers as the first, and goes on`,
      async (folder) => {
        const [source, target] = [await place(from, folder, "from"), await place(to, folder, "to")];
        let other = "";
        let before: string[] = [];
        {
          await using desk = await openAt(from, source);
          other = await fill(desk);
          before = await answers(desk, [desk.admin, other]);
          assert.deepEqual(before.filter((one) => !/ 200 /.test(one)), []);
          assert.ok(before.some((one) => one.includes("kept sealed")));
          const found = before.filter((one) => /[?&]q=/.test(one) && one.includes('":[{'));
          assert.ok(found.length >= 4, "searches find something");
        }
        await move(source, target);
        await assert.rejects(
          openAt(from, source),
          (error) =>
            error instanceof SchemaTooNew && /was moved, or is being moved/.test(error.message),
        );
        await using desk = await openAt(to, target);
        assert.deepEqual(await answers(desk, [desk.admin, other]), before);

        // Both organisations go on: no position, id or counter is in another's way.
        for (const credential of [desk.admin, other]) {
          const all = async () =>
            (await (await desk.send("GET", "/api/certs?p=-1", { credential })).json()).certs.length;
          const count = await all();
          assert.ok(count >= 25);
          await add(desk, made({ cn: "one more.example" }), { credential });
          const query = "/api/certs?mode=detailed&q=one more&p=1";
          const found = await (await desk.send("GET", query, { credential })).json();
          assert.deepEqual(
            found.cert_basics.map((c: { subject_cn: string }) => c.subject_cn),
            [
              "one more.example",
            ],
          );
          assert.equal(await all(), count + 1);
        }
        while (await desk.app.ctx.storage.commit(indexChanges, { from: "" }) > 0);
        const found = await (await desk.send("GET", "/v1/key-requests?q=weather person")).json();
        assert.equal(found.data.length, 1);
      },
    );
  }
}

for (const engine of engines) {
  onEngines(`${engine}: every table of every migration is copied`, async (folder) => {
    const dialect: Dialect = engine;
    const source = await openSession((await place(engine, folder, "from")).location);
    const target = await openSession((await place("sqlite", folder, "to")).location);
    try {
      await migrateSession(source);
      const { move } = await beginMove(source, target);
      const texts = migrations.flatMap((step) => step.statements(builders[dialect], dialect))
        .map((query) => query.compile().sql);
      const dropped = texts.map((text) => /^\s*drop table "(\w+)"/i.exec(text)?.[1]);
      const created = texts.map((text) => /^\s*create table "(\w+)"/i.exec(text)?.[1])
        .filter((name) => name !== undefined)
        .filter((name) => !dropped.includes(name))
        // Marks of commits that are under way: nothing of the data.
        .filter((name) => name !== "commits");
      assert.ok(created.length >= 29);
      assert.deepEqual(move.tables.map(({ from }) => from.name).sort(), created.sort());
    } finally {
      await target.close();
      await source.close();
    }
  });

  onEngines(`${engine}: what is in use, empty, not empty, or closed is refused`, async (folder) => {
    const source = await place(engine, folder, "from");
    const target = await place("sqlite", folder, "to");
    const begin = async (from: Place, to: Place) => {
      const [one, two] = [await openSession(from.location), await openSession(to.location)];
      try {
        await beginMove(one, two);
      } finally {
        await two.close();
        await one.close();
      }
    };
    await assert.rejects(begin(source, target), /MoveRefused|the source holds no store/);
    {
      await using _ = await openAt(engine, source);
      // On PostgreSQL a server shows that it lives; a file is held by whoever has it open.
      const session = await openSession(source.location);
      const at = toTimestamp(Date.now());
      await session.exec(`insert into nodes (id, name, version, started_at, seen_at, stale_ms)
        values ('n', 'a', '1', '${at}', '${at}', 0)`);
      await session.close();
      await assert.rejects(begin(source, target), StoreInUse);
      const after = await openSession(source.location);
      await after.exec("delete from nodes");
      await after.close();
      // Nothing was closed by that.
      await (await openAt(engine, source))[Symbol.asyncDispose]();
    }
    const full = await place("sqlite", folder, "full");
    await (await openAt("sqlite", full))[Symbol.asyncDispose]();
    await assert.rejects(begin(source, full), MoveRefused);
    await (await openAt(engine, source))[Symbol.asyncDispose]();

    await begin(source, target);
    // Begun, not ended: neither opens, and only the same pair goes on.
    await assert.rejects(openAt(engine, source), /being moved/);
    await assert.rejects(openAt("sqlite", target), /has not ended; run it again/);
    const third = await place("sqlite", folder, "third");
    await begin(source, target);
    await begin(source, third);
    const session = await openSession(source.location);
    assert.equal(await openAgain(session), true);
    assert.equal(await openAgain(session), false);
    await session.close();
    await (await openAt(engine, source))[Symbol.asyncDispose]();
    await assert.rejects(begin(source, target), /begun by another move/);
  });

  onEngines(`${engine}: a column that somebody added is named`, async (folder) => {
    const source = await place(engine, folder, "from");
    await (await openAt(engine, source))[Symbol.asyncDispose]();
    const from = await openSession(source.location);
    await from.exec("alter table plans add column tenant text");
    await from.close();
    const target = await place("sqlite", folder, "to");
    const [one, two] = [await openSession(source.location), await openSession(target.location)];
    await assert.rejects(
      beginMove(one, two),
      /differ in their tables: table plans: column tenant is in the source alone\. Undo by hand/,
    );
    await two.close();
    await one.close();
  });

  onEngines(
    `${engine}: a target that differs by one row, or one letter, stays closed`,
    async (folder) => {
      const source = await place("sqlite", folder, "from");
      {
        await using desk = await openAt("sqlite", source);
        await fill(desk);
      }
      const changes: [string, RegExp][] = [
        [
          "delete from audit_events where id = (select min(id) from audit_events)",
          /^audit_events \(\d+ rows/,
        ],
        [
          "update plans set name = name || ' ' where id = (select min(id) from plans)",
          /^plans \(6 rows/,
        ],
        [
          "update list_counts set n = n + 1 where list = 'developers' and level = 0",
          /^list_counts/,
        ],
      ];
      for (const [i, [change, said]] of changes.entries()) {
        const target = await place(engine, folder, `to-${i}`);
        const [from, to] = [await openSession(source.location), await openSession(target.location)];
        try {
          const { move } = await beginMove(from, to);
          const translation = await translationFor(move);
          await copyTables(move, translation, nothing);
          await to.exec(change);
          await assert.rejects(
            verifyTables(move, translation, nothing),
            (error) => error instanceof MoveDiffers && said.test(error.message),
          );
        } finally {
          await to.close();
          await from.close();
        }
        await assert.rejects(openAt(engine, target), SchemaTooNew);
      }
    },
  );

  onEngines(
    `${engine}: broken off after any chunk, it goes on and ends with the same`,
    async (folder) => {
      const source = await place("sqlite", folder, "from");
      {
        await using desk = await openAt("sqlite", source);
        await fill(desk);
      }
      const target = await place(engine, folder, "to");
      let turns = 0;
      let ended = false;
      while (!ended) {
        const [from, to] = [await openSession(source.location), await openSession(target.location)];
        try {
          // The connection "dies" before its fifth commit of this life; two are the claim and its
          // confirmation.
          const { move } = await beginMove(from, dyingAfter(to, 4));
          const translation = await translationFor(move);
          await copyTables(move, translation, nothing);
          await verifyTables(move, translation, nothing);
          await openTarget({ ...move, target: to });
          ended = true;
        } catch (error) {
          assert.match(String(error), /the test ends here/);
        } finally {
          await to.close();
          await from.close();
        }
        turns++;
      }
      assert.ok(turns > 15, `${turns}`);
      await (await openAt(engine, target))[Symbol.asyncDispose]();
    },
  );
}

/**
 * A session whose commits fail from the `commits`-th on: what stands in them is lost, as with a
 * killed process.
 */
function dyingAfter(session: StoreSession, commits: number): StoreSession {
  let done = 0;
  return {
    ...session,
    exec: (text) => {
      if (text === "commit" && done++ >= commits) throw new Error("the test ends here");
      return session.exec(text);
    },
  };
}

function onEngines(promise: string, test: (folder: string) => Promise<void>): void {
  Deno.test({
    name: `moving: ${promise}`,
    // The shared PostgreSQL outlives the single test.
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      await using folder = await temporaryFolder();
      await test(folder.path);
    },
  });
}

Deno.test("moving: ranges of names go along with the positions of their certificates", () => {
  const counters = [{ org_id: "a", n: 5 }, { org_id: "b", n: 7 }];
  const { row } = translationOf("postgres", "sqlite", counters, ["a", "b"]);
  const moved = (table: string, org_id: string, position: number) =>
    row(table, { org_id, position })?.position;
  assert.equal(moved("certificate_name_ranges", "a", 3), 3);
  assert.equal(moved("certificate_name_ranges", "b", 3), moved("certificates", "b", 3));
  assert.ok(Number(moved("certificates", "b", 3)) > 1000);
  // The first range of all begins before every certificate.
  assert.equal(moved("certificate_name_ranges", "b", 0), 0);
});
