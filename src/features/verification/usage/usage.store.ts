import { sql } from "kysely";
import {
  type CountedReason,
  countedReasons,
  type Reasons,
} from "../../../contract/denied-calls.ts";
import { type Dialect, type Statement, statement } from "../../../storage/statement.ts";
import { exists, held, numberOf, one } from "../../../storage/statement-functions.ts";
import type { Connection, Tx } from "../../../storage/storage.ts";
import type { Database } from "../../../storage/schema.ts";
import { variants } from "../../../storage/variants.ts";
import {
  type Tally,
  type UsageKind,
  type UsageRow,
  type UsageTable,
  usageTables,
} from "./usage.ts";

const KEY = ["org_id", "kind", "object_id", "begins", "plan_id", "api_id"] as const;
const COUNTS = ["success", "error_401", "error_403", "error_429"] as const;

/** The columns of reasons, of which those without a refusal hold null. */
const REASONS: readonly ReasonColumn[] = countedReasons.map(columnOf);

/** Each reason has its column. */
type ReasonColumn = `refused_${CountedReason}` & keyof Database["usage_hours"];

function columnOf(reason: CountedReason): ReasonColumn {
  return `refused_${reason}`;
}

type Params =
  & { [K in Exclude<keyof UsageRow, "table" | "reasons">]: UsageRow[K] }
  & { [K in ReasonColumn]?: number };

const addTo = (table: UsageTable, reasons: readonly ReasonColumn[]) =>
  raw<Params>((p) => {
    const columns = [...KEY, ...COUNTS, ...reasons, "last_hit"] as const;
    const added = [...COUNTS, ...reasons].map((name) =>
      sql`${sql.ref(name)} = coalesce(${sql.ref(`u.${name}`)}, 0) + ${sql.ref(`excluded.${name}`)}`
    );
    return sql`insert into ${sql.table(table)} as u (${sql.join(columns.map((c) => sql.ref(c)))})
      values (${sql.join(columns.map((name) => sql`${p[name]}`))})
      on conflict (${sql.join(KEY.map((c) => sql.ref(c)))}) do update set ${sql.join(added)},
        last_hit = case when excluded.last_hit > u.last_hit then excluded.last_hit
          else u.last_hit end`;
  });
// Not by variants(): so many rows are added that looking a statement up would be felt.
const addSql = { usage_hours: addTo("usage_hours", []), usage_days: addTo("usage_days", []) };
const addRefusedSql = {
  usage_hours: addTo("usage_hours", REASONS),
  usage_days: addTo("usage_days", REASONS),
};

/** Adds a tally to the one that is there, and keeps the later of the two last hits. */
export async function addRow(tx: Tx, { reasons, ...row }: UsageRow): Promise<void> {
  if (reasons === undefined) return await tx.send(addSql[row.table], row);
  const counted = countedReasons.map((reason) => [columnOf(reason), reasons[reason] ?? 0]);
  await tx.send(addRefusedSql[row.table], { ...row, ...Object.fromEntries(counted) });
}

/** Ids of one statement; a shorter list repeats its last. */
const LISTED = 25;

/** The parameters of a list of ids, part by part. */
function parts(ids: readonly string[]): Record<string, string>[] {
  return Array.from({ length: Math.ceil(ids.length / LISTED) }, (_, part) => {
    const own = ids.slice(part * LISTED, (part + 1) * LISTED);
    const named = Array.from({ length: LISTED }, (_, i) => [`id${i}`, own[i] ?? own.at(-1) ?? ""]);
    return Object.fromEntries(named);
  });
}

const listed = (p: Record<string, unknown>) =>
  sql.join(Array.from({ length: LISTED }, (_, i) => sql`${p[`id${i}`]}`));

const lockSql = raw<Record<string, string>, { id: string }>((p, dialect) =>
  sql`select id from developers where org_id = ${p.org_id} and id in (${listed(p)}) order by id ${
    // SQLite has one writer at a time and no such words.
    sql.raw(dialect === "postgres" ? "for key share" : "")}`
);

/** Those of these developers who are there; none can be deleted until the transaction ends. */
export async function lockDevelopers(
  tx: Tx,
  org_id: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const living = new Set<string>();
  for (const part of parts(ids)) {
    for (const { id } of await tx.rows(lockSql, { org_id, ...part })) living.add(id);
  }
  return living;
}

/** Whether a key is revoked. */
export const isRevoked = exists((db, p: { org_id: string; key_id: string }) =>
  db.selectFrom("credentials").select("key_id")
    .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
    .where("state", "=", sql.lit("revoked"))
);

/** Which counts are asked for: of things of one kind, from one hour until just before another. */
export interface UsageQuestion {
  readonly table: UsageTable;
  readonly org_id: string;
  readonly kind: UsageKind;
  readonly from: number;
  readonly until: number;
  /**
   * Of keys: their calls under this plan, of this API; of gateways, of this API; "": all of them.
   */
  readonly plan_id: string;
  readonly api_id: string;
}

/** The calls within one hour or day. */
export interface UsageSlot extends Tally {
  begins: number;
  last_hit: string;
}

/** The row of a sum. */
type SummedRow = Omit<UsageSlot, "reasons"> & { [K in ReasonColumn]: number | null };

type Asked = { [K in Exclude<keyof UsageQuestion, "table" | "kind">]: UsageQuestion[K] };

/** The kind belongs to the text: with it the planner knows that few rows are meant. */
const sumSql = variants((table: UsageTable, kind: UsageKind, isOne: boolean) =>
  raw<Record<string, string | number>, SummedRow>((p) =>
    sql`select begins, ${
      sql.join(
        [...COUNTS, ...REASONS].map((name) => sql`sum(${sql.ref(name)}) as ${sql.ref(name)}`),
      )
    }, max(last_hit) as last_hit from ${sql.table(table)}
      where org_id = ${p.org_id} and kind = ${sql.lit(kind)} and ${
      isOne ? sql`object_id = ${p.id0}` : sql`object_id in (${listed(p)})`
    } and begins >= ${p.from} and begins < ${p.until}
      and (${p.plan_id} = '' or plan_id = ${p.plan_id})
      and (${p.api_id} = '' or api_id = ${p.api_id}) group by begins order by begins`
  )
);

/** The calls of up to 25 things together in each hour or day that had any, the oldest first. */
export async function sumUsage(
  db: Connection,
  { table, kind, ...asked }: UsageQuestion,
  ids: readonly string[],
): Promise<UsageSlot[]> {
  const erased = kind === "key" ? await erasedOf(db, asked.org_id, ids) : [];
  const listed = ids.filter((id) => !erased.includes(id));
  if (listed.length === 0) return [];
  const [part = {}] = parts(listed);
  const params: Asked & Record<string, string | number> = { ...asked, ...part };
  const rows = await db.rows(sumSql(table, kind, listed.length === 1), params);
  return rows.map((row) => ({
    begins: Number(row.begins),
    success: Number(row.success),
    error_401: Number(row.error_401),
    error_403: Number(row.error_403),
    error_429: Number(row.error_429),
    ...reasonsOf(row),
    last_hit: row.last_hit,
  }));
}

/** The calls of one key on one day, which begins at an hour since 1970. */
interface KeyCalls {
  object_id: string;
  begins: number;
  success: number;
  error: number;
}

const sumKeysSql = raw<Record<string, string | number>, KeyCalls>((p) =>
  sql`select object_id, begins, sum(success) as success,
      sum(error_401 + error_403 + error_429) as error from usage_days
    where org_id = ${p.org_id} and kind = 'key' and object_id in (${listed(p)})
      and begins >= ${p.from} and begins < ${p.until} group by object_id, begins`
);

/**
 * The calls of each of some keys on each of some days, those without a call left out: 25 of a
 * statement, each by the index.
 */
export async function sumUsageOfKeys(
  db: Connection,
  org_id: string,
  { from, until }: { from: number; until: number },
  ids: readonly string[],
): Promise<KeyCalls[]> {
  const all: KeyCalls[] = [];
  for (const part of parts(ids)) {
    const erased = new Set(await erasedOf(db, org_id, Object.values(part)));
    for (const row of await db.rows(sumKeysSql, { org_id, from, until, ...part })) {
      if (erased.has(row.object_id)) continue;
      const { object_id, begins, success, error } = row;
      all.push({
        object_id,
        begins: Number(begins),
        success: Number(success),
        error: Number(error),
      });
    }
  }
  return all;
}

/** The reasons that there were. */
function reasonsOf(row: SummedRow): { reasons?: Reasons } {
  const some = countedReasons.map((reason) => [reason, Number(row[columnOf(reason)] ?? 0)] as const)
    .filter(([, calls]) => calls > 0);
  return some.length === 0 ? {} : { reasons: Object.fromEntries(some) };
}

/** How many ids `sumUsage` takes at once. */
export const SUMMED_AT_ONCE = LISTED;

type Before = { before: number };

const someOld = (table: UsageTable, p: Before, limit: number, lock = "") =>
  sql`select ${sql.join(KEY.map((name) => sql.ref(name)))} from ${sql.table(table)}
    where begins < ${p.before} order by begins limit ${sql.lit(limit)} ${sql.raw(lock)}`;

const hasOldSql = variants((table: UsageTable) =>
  raw<Before, { begins: number }>((p) => someOld(table, p, 1))
);

/** Whether there are counts from before an hour, of whichever organisation. */
export async function hasOldUsage(
  db: Connection,
  table: UsageTable,
  before: number,
): Promise<boolean> {
  return await db.row(hasOldSql(table), { before }) !== undefined;
}

const countOldSql = variants((table: UsageTable) =>
  raw<Before, { n: number }>((p) =>
    sql`select count(*) as n from ${sql.table(table)} where begins < ${p.before}`
  )
);

/** How many rows of counts there are from before an hour. */
export async function countOldUsage(
  db: Connection,
  table: UsageTable,
  before: number,
): Promise<number> {
  return Number((await db.row(countOldSql(table), { before }))?.n ?? 0);
}

const removeOldSql = variants((table: UsageTable, limit: number) =>
  raw<Before>((p, dialect) => {
    const lock = dialect === "postgres" ? "for update skip locked" : "";
    return sql`delete from ${sql.table(table)} where (${
      sql.join(KEY.map((name) => sql.ref(name)))
    }) in (${someOld(table, p, limit, lock)})`;
  })
);

/** Removes up to `limit` of the oldest counts from before an hour; gives how many went. */
export async function removeOldUsage(
  tx: Tx,
  table: UsageTable,
  before: number,
  limit: number,
): Promise<number> {
  return await tx.change(removeOldSql(table, limit), { before });
}

const forgetSql = variants((table: UsageTable) =>
  raw<{ org_id: string; developer_id: string }>((p) =>
    sql`delete from ${sql.table(table)} where org_id = ${p.org_id} and kind = 'developer'
      and object_id = ${p.developer_id}`
  )
);

const eraseKeysSql = raw<{ org_id: string; developer_id: string }>((p) =>
  sql`insert into usage_erasures (org_id, key_id)
    select c.org_id, c.key_id from credentials as c
      where c.org_id = ${p.org_id} and c.developer_id = ${p.developer_id}
    on conflict (org_id, key_id) do nothing`
);

/**
 * Removes what is counted of a developer, whose row this transaction holds, and has what is counted
 * of their keys removed: no one is told of it any more.
 */
export async function forgetUsageOf(tx: Tx, org_id: string, developer_id: string): Promise<void> {
  for (const table of usageTables) await tx.change(forgetSql(table), { org_id, developer_id });
  await tx.change(eraseKeysSql, { org_id, developer_id });
}

const erasedSql = raw<Record<string, string>, { key_id: string }>((p) =>
  sql`select key_id from usage_erasures where org_id = ${p.org_id} and key_id in (${listed(p)})`
);

/** Those of up to 25 keys whose counts are to go. */
async function erasedOf(db: Connection, org_id: string, ids: readonly string[]) {
  const [part = {}] = parts(ids);
  return (await db.rows(erasedSql, { org_id, ...part })).map(({ key_id }) => key_id);
}

/** A key whose counts are to go. */
export interface Erasure {
  org_id: string;
  key_id: string;
}

/** A key whose counts are to go; undefined: there is none. */
export const findErasure = one((db) =>
  db.selectFrom("usage_erasures").select(["org_id", "key_id"]).orderBy("org_id").orderBy("key_id")
    .limit(sql.lit(1))
);

/** Of how many keys the counts are to go. */
export const countErasures = numberOf((db) =>
  db.selectFrom("usage_erasures").select((eb) => eb.fn.countAll<number>().as("n"))
);

const lockErasureSql = statement<{ org_id: string; key_id: string }>()(
  held(
    (db, p) =>
      db.selectFrom("usage_erasures").select("key_id")
        .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id),
    (query) => query.forUpdate().skipLocked(),
  ),
);
const dropErasureSql = statement<{ org_id: string; key_id: string }>()((db, p) =>
  db.deleteFrom("usage_erasures")
    .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
);
const eraseSql = variants((table: UsageTable, limit: number) =>
  raw<{ org_id: string; key_id: string }>((p) => {
    const key = sql.join(KEY.map((name) => sql.ref(name)));
    return sql`delete from ${sql.table(table)} where (${key}) in (
      select ${key} from ${sql.table(table)} where org_id = ${p.org_id} and kind = 'key'
        and object_id = ${p.key_id} limit ${sql.lit(limit)})`;
  })
);

/**
 * Removes up to `limit` counts of a key from each table; gives how many rows went. Null: another
 * node does it, or has.
 */
export async function erase(
  tx: Tx,
  { org_id, key_id }: Erasure,
  limit: number,
): Promise<number | null> {
  const key = { org_id, key_id };
  if (await tx.row(lockErasureSql, key) === undefined) return null;
  const removed: number[] = [];
  for (const table of usageTables) removed.push(await tx.change(eraseSql(table, limit), key));
  if (removed.every((rows) => rows < limit)) await tx.change(dropErasureSql, key);
  return removed.reduce((sum, rows) => sum + rows, 0);
}

/** A statement out of SQL text that the builder has no words for. */
function raw<P extends { [K in keyof P]: string | number }, R = unknown>(
  make: (p: P, dialect: Dialect) => ReturnType<typeof sql>,
): Statement<P, R> {
  return statement<P>()<R>((db, p, dialect) => ({
    // as: the text itself names the columns.
    compile: () => (make(p, dialect) as ReturnType<typeof sql<R>>).compile(db),
  }));
}
