import assert from "node:assert/strict";
import { sql } from "kysely";
import { SqliteConnection } from "../../src/storage/engines/sqlite-connection.ts";
import { type QueryBuilder, statement } from "../../src/storage/statement.ts";
import { EVERYTHING } from "../../src/storage/touched-rows.ts";
import { openTestDesk } from "../support/desk.ts";

type Params = Record<"org_id" | "id" | "at", string>;
const PARAMS: Params = { org_id: "o", id: "1", at: "now" };

/** What a statement touches when it runs with PARAMS. */
function touched(build: (db: QueryBuilder, p: Params) => { compile(): never }): readonly string[] {
  // as: the builder's own types are of no use to a list of whatever.
  const declared = statement<Params>()(build as never);
  return declared.compile("sqlite").touches?.(PARAMS) ?? [];
}

// deno-lint-ignore no-explicit-any -- statements of all kinds
const cases: [string, (db: any, p: Params) => any, string[]][] = [
  [
    "an insert of one row",
    (db, p) => db.insertInto("key_requests").values({ org_id: p.org_id, id: p.id, tail: p.at }),
    ["key_requests o", "key_requests o 1"],
  ],
  [
    "an insert with what is computed",
    (db, p) =>
      db.insertInto("key_requests").values({ org_id: p.org_id, id: p.id, tail: sql`'x' || 'y'` }),
    ["key_requests o", "key_requests o 1"],
  ],
  [
    "an insert whose id is computed",
    (db, p) => db.insertInto("key_requests").values({ org_id: p.org_id, id: sql`'x'` }),
    ["key_requests"],
  ],
  [
    "an insert of several rows",
    (db, p) =>
      db.insertInto("key_requests").values([p.id, p.at].map((id) => ({ org_id: p.org_id, id }))),
    ["key_requests"],
  ],
  [
    "an insert of what is selected",
    (db, p) =>
      db.insertInto("key_requests").columns(["org_id", "id"])
        .expression(db.selectFrom("developers").select(["org_id", "id"]).where("id", "=", p.id)),
    ["key_requests"],
  ],
  [
    "an insert that changes the same row instead",
    (db, p) =>
      db.insertInto("developers").values({ org_id: p.org_id, id: p.id })
        .onConflict((c: never) => columns(c, ["org_id", "id"])),
    ["developers o", "developers o 1"],
  ],
  [
    "an insert that changes another row instead",
    (db, p) =>
      db.insertInto("developers").values({ org_id: p.org_id, id: p.id })
        .onConflict((c: never) => columns(c, ["org_id", "email_key"])),
    ["developers"],
  ],
  [
    "an update of one row",
    (db, p) =>
      db.updateTable("developers").set({ document: p.at })
        .where("org_id", "=", p.org_id).where("id", "=", p.id).where("inactive", "=", sql.lit(0)),
    ["developers o", "developers o 1"],
  ],
  [
    "an update of one row or another",
    (db, p) =>
      db.updateTable("developers").set({ document: p.at }).where("org_id", "=", p.org_id)
        // deno-lint-ignore no-explicit-any -- as above
        .where((eb: any) => eb.or([eb("id", "=", p.id), eb("id", "=", p.at)])),
    ["developers"],
  ],
  [
    "an update of all but one row",
    (db, p) =>
      db.updateTable("developers").set({ document: p.at })
        .where("org_id", "=", p.org_id).where("id", "<>", p.id),
    ["developers"],
  ],
  [
    "an update that gives the row another id",
    (db, p) =>
      db.updateTable("developers").set({ id: p.at })
        .where("org_id", "=", p.org_id).where("id", "=", p.id),
    ["developers"],
  ],
  [
    "a deletion of one row",
    (db, p) =>
      db.deleteFrom("certificates").where("org_id", "=", p.org_id)
        .where("fingerprint", "=", p.id),
    ["certificates o", "certificates o 1"],
  ],
  [
    "a deletion by another column",
    (db, p) =>
      db.deleteFrom("key_requests").where("org_id", "=", p.org_id).where("by_user", "=", p.id),
    ["key_requests"],
  ],
  [
    "a change of an organisation's rows where no row is told apart",
    (db, p) => db.deleteFrom("catalogue_entries").where("org_id", "=", p.org_id),
    ["catalogue_entries o"],
  ],
  [
    "a change in all organisations",
    (db, p) => db.updateTable("catalogues").set({ email: p.at }),
    ["catalogues"],
  ],
  [
    "a table that no answer is kept by",
    (db, p) => db.deleteFrom("outbox_events").where("id", "=", p.id),
    [],
  ],
  [
    "text of a known form",
    (db) => ({ compile: () => sql`update developers set worded = 0`.compile(db) }),
    ["developers"],
  ],
  [
    "text of another form",
    (db) => ({ compile: () => sql`insert or replace into outbox_events values (1)`.compile(db) }),
    [EVERYTHING],
  ],
  [
    "a change behind other tables",
    (db, p) =>
      db.with("x", () => db.selectFrom("plans").select("id")).deleteFrom("developers")
        .where("id", "=", p.id),
    [EVERYTHING],
  ],
];

function columns(conflict: never, names: string[]) {
  // deno-lint-ignore no-explicit-any -- as above
  return (conflict as any).columns(names).doUpdateSet({ document: "x" });
}

for (const [name, build, expected] of cases) {
  Deno.test(`touched rows: ${name}`, () => assert.deepEqual(touched(build), expected));
}

Deno.test("touched rows: nothing in the store changes rows behind a statement's back", async () => {
  await using desk = await openTestDesk("sqlite");
  const connection = SqliteConnection.openReader(desk.config.databaseFile);
  const schema = statement<Record<never, never>>()((db) => ({
    compile: () =>
      sql<{ text: string }>`select coalesce(sql, '') as text from sqlite_master`
        .compile(db),
  }));
  const rows = await connection.rows(schema, {});
  connection.close();
  assert.ok(rows.length > 40);
  assert.deepEqual(
    rows.filter(({ text }) => /create\s+trigger|on\s+(delete|update)\s+(cascade|set)/i.test(text)),
    [],
  );
});
