import { type RawBuilder, sql } from "kysely";
import { statement } from "./statement.ts";
import type { Connection, Levels, Tx } from "./storage.ts";

/**
 * Counters that keep long lists flat: how many rows each list has in all, and by month, day, hour
 * and minute of the time that sorts it. The total gives the number of pages; walking down the
 * levels finds the minute in which a page starts, so that no page costs an OFFSET over the whole
 * list. They change in the transaction that changes the list.
 */

/** Of an instant: all, month, day, hour, minute. */
export const INSTANT_LEVELS: Levels = [0, 7, 10, 13, 16];
/** Of a position as 12 digits: all, blocks of 100 millions, a million, ten thousand, a hundred. */
export const POSITION_LEVELS: Levels = [0, 4, 6, 8, 10];
const LEVELS = INSTANT_LEVELS.length;
/** A bucket of this many rows is small enough to be walked. */
const WALKABLE = 256;
/** Sorts after every bucket of the same prefix; "~" itself is one, of what never ends. */
const AFTER = "~~";

/**
 * Counts a row in (`by` 1) or out (`by` -1) of a list; `instant` as in kernel/timestamps.ts. The
 * counters change at the end of the transaction: what it reads of them before is what was
 * committed.
 */
export function countRow(
  tx: Tx,
  row: { org_id: string; list: string; instant: string },
  by: 1 | -1,
): void {
  const { org_id, list, instant } = row;
  tx.counts.add({ org_id, list, key: instant, levels: INSTANT_LEVELS }, by);
}

/**
 * Counts `by` rows in or out of a list, all of them in the last level's bucket of `key`; likewise
 * at the end.
 */
export function countKeys(
  tx: Tx,
  row: { org_id: string; list: string; key: string },
  by: number,
  levels: Levels,
): void {
  tx.counts.add({ org_id: row.org_id, list: row.list, key: row.key, levels }, by);
}

/**
 * The start of a page: rows with an instant below `before`, newest first, after leaving out `skip`
 * of them.
 */
export interface Position {
  before: string;
  skip: number;
}

/** Counts and positions over some lists together. */
interface ListCounter {
  /** How many rows the lists have. */
  count(db: Connection, org_id: string): Promise<number>;
  /** The total as a column of another statement; `org_id` is its parameter. */
  total(org_id: string): RawBuilder<number>;
  /**
   * The result of `seekNewest` as a part of another statement, on PostgreSQL alone: one row.
   * `org_id` and `offset`, which was through `countable`, are parameters of the statement.
   */
  newest(org_id: string, offset: number): RawBuilder<Place>;
  /** How many rows lie in buckets of the last level that sort before the one of `key`. */
  countBelow(db: Connection, org_id: string, key: string, levels: Levels): Promise<number>;
  /**
   * The position `offset` rows from the newest, and how many rows there are; one round trip. Its
   * `skip` stays small unless one minute holds very many rows.
   */
  seekNewest(db: Connection, org_id: string, offset: number): Promise<Position & { total: number }>;
  /** Seeks from the oldest: rows that sort at or after `from`, after skipping `skip`. */
  seekOldest(
    db: Connection,
    org_id: string,
    offset: number,
  ): Promise<{ from: string; skip: number; total: number }>;
}

/**
 * The counter over these lists. Their names stand in the statement itself, so they must be ours. A
 * position is narrowed down until at most `walkable` rows are to be skipped.
 */
export function listCounter(lists: readonly string[], walkable = WALKABLE): ListCounter {
  const names = lists.map((list) => sql.lit(list));
  const total = (org_id: string) =>
    sql<number>`(select sum(n) from list_counts
      where org_id = ${org_id} and list in (${sql.join(names)}) and level = 0)`;
  const totalSql = statement<{ org_id: string }>()<{ n: number | null }>((db, p) => ({
    compile: () => sql<{ n: number | null }>`select ${total(p.org_id)} as n`.compile(db),
  }));
  const count = async (db: Connection, org_id: string) =>
    Number((await db.row(totalSql, { org_id }))?.n ?? 0);
  const descent = (order: 1 | -1) =>
    statement<{ org_id: string; offset: number }>()<Place>((db, p) => ({
      compile: () => placeSql(lists, walkable, order, p).compile(db),
    }));
  const atOnce = { newest: descent(-1), oldest: descent(1) };
  const stepByStep = levelSql(lists);
  const belowSql = countBelowSql(lists);
  const seek = async (db: Connection, org_id: string, offset: number, order: 1 | -1) => {
    if (db.dialect === "postgres") {
      const found = await db.row(order === 1 ? atOnce.oldest : atOnce.newest, {
        org_id,
        offset: countable(offset),
      });
      return found ?? { bucket: "", skip: offset, total: 0 };
    }
    const total = await count(db, org_id);
    let place = { bucket: "", skip: offset };
    for (let level = 1; level < LEVELS && place.skip > walkable && offset < total; level++) {
      const range = { org_id, level, from: place.bucket, to: place.bucket + AFTER };
      const found = findBucket(await db.rows(stepByStep, range), place.skip, order);
      if (!found) break;
      place = found;
    }
    return { ...place, total };
  };
  return {
    count,
    total,
    newest: (org_id, offset) => placeSql(lists, walkable, -1, { org_id, offset }),
    countBelow: async (db, org_id, key, levels) => {
      const [, b1, b2, b3, b4] = levels.map((length) => key.slice(0, length));
      const params = { org_id, b1: b1 ?? "", b2: b2 ?? "", b3: b3 ?? "", b4: b4 ?? "" };
      return Number((await db.row(belowSql, params))?.n ?? 0);
    },
    seekNewest: async (db, org_id, offset) => {
      const { bucket, ...rest } = await seek(db, org_id, offset, -1);
      return { before: bucket + AFTER, ...rest };
    },
    seekOldest: async (db, org_id, offset) => {
      const { bucket, ...rest } = await seek(db, org_id, offset, 1);
      return { from: bucket, ...rest };
    },
  };
}

/** An offset behind every row there can be, where it is larger than what engines count with. */
export function countable(offset: number): number {
  return Math.min(offset, Number.MAX_SAFE_INTEGER);
}

/** The first key that lies behind a bucket, as part of a statement. */
export const behind = (bucket: string) => sql<string>`(${sql.ref(bucket)} || ${sql.lit(AFTER)})`;

/**
 * A page of a counted list, newest first, and how many rows that has: one round trip for the first
 * page and where the list has `at`, which gives undefined where it can't tell, else two.
 */
export async function countedPage<Row>(
  at: { counter: ListCounter; db: Connection; org_id: string; offset: number },
  read: {
    first(): Promise<{ rows: Row[]; total: number }>;
    at?(offset: number): Promise<{ rows: Row[]; total: number } | undefined>;
    from(position: Position): Promise<Row[]>;
  },
): Promise<{ rows: Row[]; total: number }> {
  const { counter, db, org_id, offset } = at;
  if (offset === 0) return await read.first();
  const found = db.dialect === "postgres" ? await read.at?.(offset) : undefined;
  if (found) return found;
  const { total, ...position } = await counter.seekNewest(db, org_id, offset);
  return { rows: offset >= total ? [] : await read.from(position), total };
}

/** Of each level what lies in the same bucket of the level above, and before the bucket given. */
function countBelowSql(lists: readonly string[]) {
  const names = sql.join(lists.map((list) => sql.lit(list)));
  return statement<{ org_id: string; b1: string; b2: string; b3: string; b4: string }>()<
    { n: number }
  >((db, p) => ({
    compile: () => {
      const below = [sql.lit(""), p.b1, p.b2, p.b3, p.b4].flatMap((to, level, bounds) =>
        level === 0 ? [] : sql`(select coalesce(sum(n), 0) from list_counts
          where org_id = ${p.org_id} and list in (${names}) and level = ${sql.lit(level)}
          and bucket >= ${bounds[level - 1]} and bucket < ${to})`
      );
      return sql<{ n: number }>`select ${sql.join(below, sql` + `)} as n`.compile(db);
    },
  }));
}

/** The buckets of one level within a bucket of the level above. */
function levelSql(lists: readonly string[]) {
  return statement<{ org_id: string; level: number; from: string; to: string }>()((db, p) =>
    db.selectFrom("list_counts")
      .select(["bucket", (eb) => eb.fn.sum<number>("n").as("n")])
      .where("org_id", "=", p.org_id).where("list", "in", lists.map((list) => sql.lit(list)))
      .where("level", "=", p.level).where("bucket", ">=", p.from).where("bucket", "<", p.to)
      .groupBy("bucket")
  );
}

/**
 * The bucket, oldest (`order` 1) or newest (-1) first, in which the row after `skip` others lies,
 * and how many to skip inside it.
 */
function findBucket(
  counts: readonly { bucket: string; n: number }[],
  skip: number,
  order: 1 | -1,
): { bucket: string; skip: number } | undefined {
  let left = skip;
  for (const { bucket, n } of [...counts].sort((a, b) => a.bucket < b.bucket ? -order : order)) {
    const rows = Number(n);
    if (left < rows) return { bucket, skip: left };
    left -= rows;
  }
  return undefined;
}

/**
 * The position of a row: behind `skip` others of those that are not `behind` the bucket; and how
 * many rows there are.
 */
export interface Place {
  bucket: string;
  skip: number;
  total: number;
}

/**
 * The place of the row behind `offset` others, as one row, for an engine that is far away: each
 * level reads the buckets inside the one that was found above it, as long as more rows are left to
 * skip than may be walked.
 */
function placeSql(
  lists: readonly string[],
  walkable: number,
  order: 1 | -1,
  { org_id, offset }: { org_id: string; offset: number },
): RawBuilder<Place> {
  const counted = sql`from list_counts where org_id = ${org_id}
    and list in (${sql.join(lists.map((list) => sql.lit(list)))})`;
  const direction = sql.raw(order === 1 ? "asc" : "desc");
  return sql<Place>`with recursive walk(level, bucket, skip) as (
      select 0, cast('' as text) collate "C", cast(${offset} as bigint)
      union all
      select walk.level + 1, next.bucket, next.skip
      from walk cross join lateral (
        select bucket, cast(walk.skip + n - reached as bigint) as skip from (
          select bucket, sum(n) as n, sum(sum(n)) over (order by bucket ${direction}) as reached
          ${counted} and level = walk.level + 1
          and bucket >= walk.bucket and bucket < walk.bucket || ${sql.lit(AFTER)}
          group by bucket) as sums
        where reached > walk.skip order by bucket ${direction} limit 1) as next
      where walk.level < ${sql.lit(LEVELS - 1)} and walk.skip > ${sql.lit(walkable)})
    select bucket, skip, (select coalesce(sum(n), 0)::bigint ${counted} and level = 0) as total
    from walk order by level desc limit 1`;
}
