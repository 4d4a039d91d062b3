/**
 * What others see of a build is what it was: both OpenAPI documents, the help of every command, and
 * the schema that a new store has and an old one is brought to. `surface.json` has a digest of each
 * part, so that a part that changed is named. KEYDESK_RECORD=1 writes it anew: only with a change
 * that means to.
 */
import assert from "node:assert/strict";
import { sql } from "kysely";
import { endpoints } from "../../src/reference/registry.ts";
import { writtenDocuments } from "../../src/reference/written-documents.ts";
import { type Dialect, statement } from "../../src/storage/statement.ts";
import type { Connection } from "../../src/storage/storage.ts";
import { sha256 } from "../../src/kernel/sha256.ts";
import { helpFileText } from "../../tools/help-file.ts";
import { engines, openTestDesk } from "../support/desk.ts";
import { oldStores, openOldStore } from "../support/old-stores.ts";

const RECORDED = new URL("surface.json", import.meta.url);

/** Digests by the name of a part. */
type Parts = Record<string, string>;

const digest = (value: unknown): string => sha256(JSON.stringify(value)).slice(0, 16);

function recorded(): Record<string, Parts> {
  return JSON.parse(Deno.readTextFileSync(RECORDED));
}

/** Holds parts against what was recorded of them, or records them. */
function holdAgainstRecorded(name: string, parts: Parts): void {
  if (Deno.env.get("KEYDESK_RECORD") === "1") {
    const all = { ...recorded(), [name]: parts };
    Deno.writeTextFileSync(RECORDED, `${JSON.stringify(all, null, 1)}\n`);
    return;
  }
  assert.deepEqual(parts, recorded()[name]);
}

/** One part an operation and a schema; the rest of a document is one. */
function partsOf(text: string): Parts {
  const { paths, components, ...rest } = JSON.parse(text);
  const { schemas, ...others } = components;
  const parts: Parts = { "": digest([rest, others]) };
  for (const [path, item] of Object.entries<Record<string, unknown>>(paths)) {
    for (const [method, operation] of Object.entries(item)) {
      parts[`${method} ${path}`] = digest(operation);
    }
  }
  for (const [name, schema] of Object.entries(schemas)) parts[name] = digest(schema);
  return parts;
}

for (const [name, bytes] of writtenDocuments(endpoints)) {
  Deno.test(`surface: ${name} says what it said`, () => {
    holdAgainstRecorded(name, partsOf(new TextDecoder().decode(bytes)));
  });
}

Deno.test("surface: the help of each command says what it said", async () => {
  const helps: Record<string, unknown> = JSON.parse(await helpFileText());
  const parts = Object.entries(helps).map(([words, help]) => [words, digest(help)]);
  holdAgainstRecorded("help", Object.fromEntries(parts));
});

/** An index or a table as the engine tells it. */
interface Declared {
  name: string;
  text: string;
}

const schemaSql = statement<Record<never, never>>()<Declared>((db, _, dialect) => ({
  compile: () => declaredIn[dialect].compile(db),
}));

const declaredIn: Readonly<Record<Dialect, ReturnType<typeof sql<Declared>>>> = {
  sqlite: sql<Declared>`select m.name || ' ' || c.name as name,
      lower(c.type) || ' ' || c."notnull" || ' ' || c.pk || ' ' || coalesce(c.dflt_value, '')
        as text
    from sqlite_master as m join pragma_table_info(m.name) as c where m.type = 'table'
    union all
    select name, sql as text from sqlite_master where type in ('index', 'trigger', 'view')
      and sql is not null
    order by 1, 2`,
  postgres: sql<Declared>`select table_name || ' ' || column_name as name,
      data_type || ' ' || is_nullable || ' ' || coalesce(collation_name, '') || ' '
        || coalesce(column_default, '') as text
    from information_schema.columns where table_schema = 'public'
    union all
    select indexname as name, indexdef as text from pg_indexes where schemaname = 'public'
    order by 1, 2`,
};

async function schemaOf(reader: Connection): Promise<Parts> {
  const rows = await reader.rows(schemaSql, {});
  const byName = Map.groupBy(rows, ({ name }) => name.split(" ")[0] ?? "");
  const parts = [...byName].map(([name, all]) => [
    name,
    // As it was written then: added columns end a table, and lines are broken elsewhere.
    digest(all.map(({ name, text }) => `${name} ${text.replaceAll(/\s+/g, " ")}`).sort()),
  ]);
  return Object.fromEntries(parts);
}

for (const engine of engines) {
  Deno.test({
    name: `surface: ${engine}: a new store has the tables that it had, and each old one gets them`,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      await using desk = await openTestDesk(engine);
      const parts = await schemaOf(desk.app.ctx.storage.reader);
      holdAgainstRecorded(`schema of ${engine}`, parts);
      for (const name of oldStores()) {
        await using old = await openOldStore(name, engine);
        assert.deepEqual(await schemaOf(old.desk.app.ctx.storage.reader), parts, name);
      }
    },
  });
}
