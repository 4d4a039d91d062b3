import { type RawBuilder, sql } from "kysely";
import type { TableShape } from "../../storage/engines/store-session.ts";
import { CLOSED_VERSION } from "../../storage/migrate.ts";
import { tableMaker } from "../../storage/migrations/0001-key-requests.ts";
import { builders, type Dialect, statement } from "../../storage/statement.ts";
import type { Connection } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";
import { POSITIONS, type Row } from "./translation.ts";

/** The table on the target that knows how far the copying is; it is there only while that goes on. */
export const PROGRESS_TABLE = "store_move";

type Key = Record<string, string | number>;

/** Up to `limit` rows of a table behind a key, in the order of the key; from the first on without one. */
export async function rowsBehind(
  db: Connection,
  table: TableShape,
  behind: readonly (string | number)[] | null,
  limit: number,
): Promise<Row[]> {
  const page = pageOf(table, behind !== null, limit);
  return await db.rows(page, Object.fromEntries((behind ?? []).map((part, i) => [`k${i}`, part])));
}

const pageOf = variants((table: TableShape, hasKey: boolean, limit: number) =>
  statement<Key>()<Row>((db, p) => ({
    compile: () => {
      const key = list(table.key.map((name) => sql.ref(`t.${name}`)));
      const place = list(table.key.map((_, i) => sql`${p[`k${i}`]}`));
      const { columns, joins } = table.name === "key_request_positions"
        ? searchedColumns(table)
        : { columns: table.columns.map(({ name }) => sql.ref(`t.${name}`)), joins: sql`` };
      return sql<Row>`select ${list(columns)} from ${sql.table(table.name)} as t ${joins}
        ${hasKey ? sql`where (${key}) > (${place})` : sql``}
        order by ${key} limit ${sql.lit(limit)}`.compile(db);
    },
  }))
);

/** With what a search looks at: the text itself stands in one of the engines alone. */
function searchedColumns(table: TableShape) {
  const columns = table.columns.filter(({ name }) => name !== "text")
    .map(({ name }) => sql.ref(`t.${name}`));
  return {
    columns: [
      ...columns,
      ...["by_user", "for_plan", "head", "sent_entry"].map((name) => sql.ref(`r.${name}`)),
      sql`coalesce(d.document, r.sent_developer) as developer`,
    ],
    joins: sql`left join key_requests as r on r.org_id = t.org_id and r.id = t.id
      left join developers as d on d.org_id = r.org_id and d.id = r.by_user`,
  };
}

function list(parts: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return sql.join(parts, sql`, `);
}

/** How many rows a table has. */
export async function countRows(db: Connection, table: TableShape): Promise<number> {
  const count = statement<Record<never, never>>()<{ n: number }>((builder) => ({
    compile: () =>
      sql<{ n: number }>`select count(*) as n from ${sql.table(table.name)}`.compile(builder),
  }));
  return Number((await db.row(count, {}))?.n ?? 0);
}

const closeSql = statement<{ version: number; name: string; at: string }>()((db, p) =>
  db.insertInto("schema_versions").values({
    version: p.version,
    name: p.name,
    oldest_code: p.version,
    applied_at: p.at,
  })
);

/** Closes a store to every release, in the words of `name`. */
export async function closeStore(db: Connection, name: string): Promise<void> {
  const at = new Date().toISOString();
  await db.change(closeSql, { version: CLOSED_VERSION, name, at });
}

const openSql = statement<{ version: number }>()((db, p) =>
  db.deleteFrom("schema_versions").where("version", "=", p.version)
);

/** Opens a closed store again. False where it was not closed. */
export async function openAgain(db: Connection): Promise<boolean> {
  return await db.change(openSql, { version: CLOSED_VERSION }) === 1;
}

/** SQL that creates the table of progress, and what empties and drops it. */
export function progressTableSql(dialect: Dialect): { create: string; drop: string } {
  const columns = ["name", "behind?", "copied#", "done#"];
  const create = tableMaker(builders[dialect], dialect)(PROGRESS_TABLE, columns, ["name"]);
  return { create: create.compile().sql, drop: `drop table ${PROGRESS_TABLE}` };
}

/** How far the copying of a table is. */
export interface Progress {
  name: string;
  /** The key of the last row that was copied, as JSON; null before the first. */
  behind: string | null;
  copied: number;
  done: number;
}

const findProgressSql = statement<{ name: string }>()<Progress>((db, p) => ({
  compile: () =>
    sql<Progress>`select name, behind, copied, done from ${sql.table(PROGRESS_TABLE)}
      where name = ${p.name}`.compile(db),
}));

/** How far a table is; undefined where it was not begun. */
export function findProgress(db: Connection, name: string): Promise<Progress | undefined> {
  return db.row(findProgressSql, { name });
}

const putProgressSql = statement<
  { name: string; behind: string | null; copied: number; done: number }
>()<unknown>((db, p) => ({
  compile: () =>
    sql`insert into ${sql.table(PROGRESS_TABLE)} (name, behind, copied, done)
      values (${p.name}, ${p.behind}, ${p.copied}, ${p.done})
      on conflict (name) do update
      set behind = excluded.behind, copied = excluded.copied, done = excluded.done`.compile(db),
}));

/** Remembers how far a table is, in the transaction that copied so far. */
export async function putProgress(db: Connection, progress: Progress): Promise<void> {
  await db.change(putProgressSql, { ...progress });
}

const countersSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("list_counts").select(["org_id", "n"]).where("list", "=", sql.lit(POSITIONS))
    .orderBy("org_id")
);

/** The counters that give certificates their positions, by organisation. */
export async function positionCounters(db: Connection): Promise<{ org_id: string; n: number }[]> {
  return (await db.rows(countersSql, {})).map(({ org_id, n }) => ({ org_id, n: Number(n) }));
}

const putCounterSql = statement<{ org_id: string; n: number }>()((db, p) =>
  db.insertInto("list_counts").values({
    org_id: p.org_id,
    list: sql.lit(POSITIONS),
    level: sql.lit(0),
    bucket: sql.lit(""),
    shard: sql.lit(0),
    n: p.n,
  })
);

/** Sets such a counter where there is none. */
export async function addPositionCounter(
  db: Connection,
  counter: { org_id: string; n: number },
): Promise<void> {
  await db.change(putCounterSql, counter);
}

const organisationsSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("organisations").select("id").orderBy("id")
);

/** The ids of all organisations. */
export async function organisationIds(db: Connection): Promise<string[]> {
  return (await db.rows(organisationsSql, {})).map(({ id }) => id);
}

const keysSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("sealing_keys").select(["version", "check_value"]).orderBy("version")
);

/** The check value of each version of the sealing key that a store knows. */
export async function keyChecks(
  db: Connection,
): Promise<{ version: number; check_value: string }[]> {
  const rows = await db.rows(keysSql, {});
  return rows.map((row) => ({ ...row, version: Number(row.version) }));
}
