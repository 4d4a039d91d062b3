import { type RawBuilder, sql } from "kysely";
import type { TableShape } from "../../storage/engines/store-session.ts";
import { CLOSED_VERSION, closedNames } from "../../storage/migrate.ts";
import { tableMaker } from "../../storage/migrations/migration.ts";
import { builders, type Dialect, statement } from "../../storage/statement.ts";
import { one, value, values } from "../../storage/statement-functions.ts";
import type { Connection } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";
import { POSITIONS, type Row } from "./translation.ts";

/**
 * The table on the target that knows how far the copying is, and afterwards by which move the store
 * came.
 */
export const PROGRESS_TABLE = "store_move";

/**
 * Its row that says which run of a move works on the target: in `behind`, the run's id. No table
 * has that name.
 */
const RUN = "";
/**
 * The value with which that row counts as copied once the source is closed; before that, it is
 * missing.
 */
const BEGUN = 1;
/** Its only row once the target is whole: in `behind`, the move's id. */
const ENDED = "ended";

type Key = Record<string, string | number>;

/** Up to `limit` rows of a table behind a key, in its order; without one, from the first. */
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

/** With what a search looks at: the text itself is in one of the engines alone. */
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

/** The words of a store's mark of closing; undefined where it is not closed. */
export const closingMark = value((db) =>
  db.selectFrom("schema_versions").select("name").where("version", "=", sql.lit(CLOSED_VERSION))
);

/** SQL that creates the table of progress. */
export function progressTableSql(dialect: Dialect): string {
  const columns = ["name", "behind?", "copied#", "done#"];
  return tableMaker(builders[dialect], dialect)(PROGRESS_TABLE, columns, ["name"]).compile().sql;
}

/**
 * From now on the target belongs to this run of a move alone: the next `isOurs` of any other run is
 * false.
 */
export async function putClaim(
  db: Connection,
  claim: { move: string; run: string; begun: boolean },
): Promise<void> {
  await db.change(renameSql, {
    version: CLOSED_VERSION,
    name: `${closedNames.arriving}${claim.move}`,
  });
  const copied = claim.begun ? BEGUN : 0;
  await putProgress(db, { name: RUN, behind: claim.run, copied, done: 0 });
}

const renameSql = statement<{ version: number; name: string }>()((db, p) =>
  db.updateTable("schema_versions").set({ name: p.name }).where("version", "=", p.version)
);

const lockedRunSql = statement<{ name: string; run: string }>()<unknown>((db, p) => ({
  compile: () =>
    sql`update ${sql.table(PROGRESS_TABLE)} set done = 0
      where name = ${p.name} and behind = ${p.run}`.compile(db),
}));

/** Whether the target still belongs to this run, and does until the transaction ends. */
export async function isOurs(db: Connection, run: string): Promise<boolean> {
  return await db.change(lockedRunSql, { name: RUN, run }) === 1;
}

const lockRunSql = statement<{ name: string }>()<unknown>((db, p) => ({
  compile: () =>
    sql`update ${sql.table(PROGRESS_TABLE)} set done = 0 where name = ${p.name}`.compile(db),
}));

/**
 * Whether the source of the move that claimed this target is closed, so that rows were copied or
 * may be at any moment. It stays as it is until the transaction ends.
 */
export async function isBegun(db: Connection): Promise<boolean> {
  await db.change(lockRunSql, { name: RUN });
  const run = await findProgress(db, { name: RUN });
  // Earlier releases had no such row, and closed the source first.
  return run === undefined || Number(run.copied) === BEGUN;
}

/** Notes what `isBegun` tells. */
export async function putBegun(db: Connection, run: string): Promise<void> {
  await putProgress(db, { name: RUN, behind: run, copied: BEGUN, done: 0 });
}

const forgetSql = statement<{ name: string }>()<unknown>((db, p) => ({
  compile: () => sql`delete from ${sql.table(PROGRESS_TABLE)} where name <> ${p.name}`.compile(db),
}));

/** Leaves of the progress only by which move the store came. */
export async function endProgress(db: Connection, move: string): Promise<void> {
  await putProgress(db, { name: ENDED, behind: move, copied: 0, done: 1 });
  await db.change(forgetSql, { name: ENDED });
}

/**
 * The id of the move by which a whole store came; undefined where it came by none. The table must
 * be there.
 */
export async function endedMove(db: Connection): Promise<string | undefined> {
  return (await findProgress(db, { name: ENDED }))?.behind ?? undefined;
}

/** How far the copying of a table is. */
interface Progress {
  name: string;
  /** The key of the last row that was copied, as JSON; null before the first. */
  behind: string | null;
  copied: number;
  done: number;
}

/** How far a table is; undefined where it was not begun. */
export const findProgress = one((db, p: { name: string }) => ({
  compile: () =>
    sql<Progress>`select name, behind, copied, done from ${sql.table(PROGRESS_TABLE)}
      where name = ${p.name}`.compile(db),
}));

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

/** The ids of all organisations. */
export const organisationIds = values((db) =>
  db.selectFrom("organisations").select("id").orderBy("id")
);
