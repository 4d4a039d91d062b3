/** What `storage/schema.ts` declares is what the migrations make. */
import assert from "node:assert/strict";
import { sql } from "kysely";
import { openSession } from "../../src/storage/open-session.ts";
import { keysOf, rowOf, tableNames } from "../../src/storage/rows.ts";
import { tables } from "../../src/storage/schema.ts";
import { type Dialect, statement } from "../../src/storage/statement.ts";
import { testOnStores } from "../support/stores.ts";

interface StoredColumn {
  table: string;
  name: string;
  type: string;
  is_null: number;
  collation: string | null;
}

const columnsSql = statement<Record<never, never>>()<StoredColumn>((db, _, dialect) => ({
  compile: () => columnsOf[dialect].compile(db),
}));

const columnsOf = {
  sqlite: sql<StoredColumn>`select m.name as "table", c.name, c.type, null as collation,
      case when c."notnull" = 1 or c.pk > 0 then 0 else 1 end as is_null
    from sqlite_master as m join pragma_table_info(m.name) as c
    where m.type = 'table'`,
  postgres: sql<StoredColumn>`select table_name as "table", column_name as name, data_type as type,
      case is_nullable when 'YES' then 1 else 0 end as is_null, collation_name as collation
    from information_schema.columns where table_schema = 'public'`,
};

/** Tables that one engine alone has, and those that no statement of a store knows by a type. */
const LEFT_OUT: Readonly<Record<Dialect, readonly string[]>> = {
  sqlite: ["commits", "nodes", "key_request_search", "certificate_search"],
  postgres: ["key_request_search", "certificate_search"],
};

const TYPES: Readonly<Record<string, string>> = { bigint: "integer" };

testOnStores(
  "every declared column and key is what the migrations make, and they make no others",
  async (store) => {
    const opened = await store.open();
    const { dialect } = opened.reader;
    const found: Record<string, Record<string, string>> = {};
    for (
      const { table, name, is_null, collation, ...stored } of await opened.reader.rows(
        columnsSql,
        {},
      )
    ) {
      const lower = stored.type.toLowerCase();
      const type = TYPES[lower] ?? lower;
      (found[table] ??= {})[name] = said({
        type,
        isNull: is_null === 1,
        collation: collation ?? "",
      });
    }
    for (const [table, columns] of Object.entries(tables)) {
      if (LEFT_OUT[dialect].includes(table)) continue;
      const declared = Object.entries(columns).map(([name, column]) => {
        const sorts = dialect === "postgres" && column.type === "text" && !column.isUnsorted;
        return [name, said({ ...column, collation: sorts ? "C" : "" })] as const;
      });
      assert.deepEqual(found[table], Object.fromEntries(declared), table);
    }
    const session = await openSession(store.location);
    for (const { name, key } of await session.tables()) {
      const table = tableNames.find((one) => one === name);
      if (table) assert.deepEqual(keysOf(table), key, name);
    }
    await session.close();
    await opened.close();
  },
);

function said({ type, isNull, collation }: { type: string; isNull: boolean; collation: string }) {
  return `${type}${isNull ? " or null" : ""} ${collation}`;
}

Deno.test("a row for an insert has every column of its table, but those that are left out", () => {
  const params = { org_id: "org", scope: "s", fingerprint: "f", expires_at: "2030", other: 1 };
  assert.deepEqual(rowOf("idempotent_answers", params, "answer"), {
    org_id: "org",
    scope: "s",
    fingerprint: "f",
    expires_at: "2030",
  });
});
