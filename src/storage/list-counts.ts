import { type RawBuilder, sql } from "kysely";
import { statement } from "./statement.ts";
import type { Connection, Levels, Tx } from "./storage.ts";

/**
 * Counters that keep long lists flat: how many rows each list has in all, and by month, day, hour and
 * minute of the time that sorts it. The total gives the number of pages; walking down the levels finds the
 * minute in which a page starts, so that no page costs an OFFSET over the whole list. They change in the
 * transaction that changes the list.
 */

/** Of an instant: all, month, day, hour, minute. */
const INSTANT_LEVELS: Levels = [0, 7, 10, 13, 16];
/** Of a position as 12 digits: all, blocks of a hundred millions, a million, ten thousand, a hundred. */
export const POSITION_LEVELS: Levels = [0, 4, 6, 8, 10];
const LEVELS = INSTANT_LEVELS.length;
/** A bucket of this many rows is small enough to be walked. */
const WALKABLE = 256;
/** Sorts after every bucket of the same prefix; "~" itself is one, of what never ends. */
const AFTER = "~~";

/**
 * Counts a row in (`by` 1) or out (`by` -1) of a list; `instant` as in kernel/timestamps.ts. The counters change at
 * the end of the transaction: what it reads of them before is what was committed.
 */
export function countRow(
  tx: Tx,
  row: { org_id: string; list: string; instant: string },
  by: 1 | -1,
): void {
  const { org_id, list, instant } = row;
  tx.counts.add({ org_id, list, key: instant, levels: INSTANT_LEVELS }, by);
}

/** Counts `by` rows in or out of a list, all of them in the last level's bucket of `key`; likewise at the end. */
export function countKeys(
  tx: Tx,
  row: { org_id: string; list: string; key: string },
  by: number,
  levels: Levels,
): void {
  tx.counts.add({ org_id: row.org_id, list: row.list, key: row.key, levels }, by);
}

/** Where a page starts: rows with an instant below `before`, newest first, after leaving out `skip` of them. */
export interface Position {
  before: string;
  skip: number;
}

/** Counts and positions over some lists together. */
export interface ListCounter {
  /** How many rows the lists have. */
  count(db: Connection, org_id: string): Promise<number>;
  /** The same as a column of another statement; `org_id` is its parameter. */
  total(org_id: string): RawBuilder<number>;
  /** How many rows lie in buckets of the last level that sort before the one of `key`. */
  countBelow(db: Connection, org_id: string, key: string, levels: Levels): Promise<number>;
  /**
   * The position `offset` rows from the newest, and how many rows there are; one round trip. Its `skip` stays small
   * unless one minute holds very many rows.
   */
  seekNewest(db: Connection, org_id: string, offset: number): Promise<Position & { total: number }>;
  /** The same from the oldest: rows that sort at or after `from`, after leaving out `skip` of them. */
  seekOldest(
    db: Connection,
    org_id: string,
    offset: number,
  ): Promise<{ from: string; skip: number; total: number }>;
}

/**
 * The counter over these lists. Their names stand in the statement itself, so they must be ours. A position is
 * narrowed down until at most `walkable` rows are to be skipped.
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
  const atOnce = {
    newest: descentSql(lists, walkable, -1),
    oldest: descentSql(lists, walkable, 1),
  };
  const stepByStep = levelSql(lists);
  const belowSql = countBelowSql(lists);
  const seek = async (db: Connection, org_id: string, offset: number, order: 1 | -1) => {
    if (db.dialect === "postgres") {
      // Behind every row there can be, and within what the engine counts with.
      const skip = Math.min(offset, Number.MAX_SAFE_INTEGER);
      const steps = await db.rows(order === 1 ? atOnce.oldest : atOnce.newest, {
        org_id,
        offset: skip,
      });
      return deepestOf(steps, skip);
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

/** A page of a counted list, newest first, and how many rows that has: one round trip for the first page, else two. */
export async function countedPage<Row>(
  at: { counter: ListCounter; db: Connection; org_id: string; offset: number },
  read: {
    first(): Promise<{ rows: Row[]; total: number }>;
    from(position: Position): Promise<Row[]>;
  },
): Promise<{ rows: Row[]; total: number }> {
  const { counter, db, org_id, offset } = at;
  if (offset === 0) return await read.first();
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

/** The bucket, oldest (`order` 1) or newest (-1) first, in which the row after `skip` others lies, and how many to skip inside it. */
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

/** A level that the descent reached: its bucket, and how many rows to skip inside it; of level 0 the total. */
interface Step {
  level: number;
  bucket: string;
  n: number;
}

/**
 * All levels in one statement, for an engine that is far away: each level reads the buckets inside the one that was
 * found above it, as long as more rows are left to skip than may be walked.
 */
function descentSql(lists: readonly string[], walkable: number, order: 1 | -1) {
  return statement<{ org_id: string; offset: number }>()<Step>((db, p) => {
    const counted = sql`from list_counts where org_id = ${p.org_id}
      and list in (${sql.join(lists.map((list) => sql.lit(list)))})`;
    const direction = sql.raw(order === 1 ? "asc" : "desc");
    const steps = Array.from({ length: LEVELS - 1 }, (_, above) => {
      const [found, before, level] = [`found${above + 1}`, `found${above}`, above + 1];
      return sql`${sql.id(found)} as (
        select bucket, skip from (
          select bucket, n, (select skip from ${sql.id(before)}) + n
            - (sum(n) over (order by bucket ${direction}))::bigint as skip
          from (select bucket, sum(n)::bigint as n ${counted} and level = ${sql.lit(level)}
            and (select skip from ${sql.id(before)}) > ${sql.lit(walkable)}
            and bucket >= (select bucket from ${sql.id(before)})
            and bucket < (select bucket || ${sql.lit(AFTER)} from ${sql.id(before)})
            group by bucket) as counts) as sums
        where skip >= 0 and skip < n)`;
    });
    const reached = steps.map((_, above) =>
      sql`select ${sql.lit(above + 1)}, bucket, skip from ${sql.id(`found${above + 1}`)}`
    );
    return {
      compile: () =>
        sql<Step>`with found0 as (
            select cast('' as text) collate "C" as bucket, cast(${p.offset} as bigint) as skip
          ), ${sql.join(steps)}
          select 0 as level, '' as bucket, coalesce(sum(n), 0)::bigint as n
          ${counted} and level = 0
          union all ${sql.join(reached, sql` union all `)}`.compile(db),
    };
  });
}

function deepestOf(steps: readonly Step[], offset: number) {
  let [total, deepest] = [0, { level: 0, bucket: "", n: offset }];
  for (const step of steps) {
    const n = Number(step.n);
    if (step.level === 0) total = n;
    else if (step.level > deepest.level) deepest = { ...step, n };
  }
  return { bucket: deepest.bucket, skip: deepest.n, total };
}
