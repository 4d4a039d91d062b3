import { sql } from "kysely";
import { statement } from "./statement.ts";
import type { Connection, Tx } from "./storage.ts";

/**
 * Counters that keep long lists flat: how many rows each list has in all, and by year, month, day, hour and
 * minute of the time that sorts it. The total gives the number of pages; walking down the levels finds the
 * minute in which a page starts, so that no page costs an OFFSET over the whole list. They change in the
 * transaction that changes the list.
 */

/** Characters of the instant that name a bucket at each level: all, year, month, day, hour, minute. */
const LEVELS = [0, 4, 7, 10, 13, 16];
/** On PostgreSQL a counter is spread over this many rows, so that writers of one list do not queue up on it. */
const POSTGRES_SHARDS = 16;
/** Sorts after every bucket of the same prefix. */
const AFTER = "~";

type Adjustment =
  & { org_id: string; list: string; shard: number; n: number }
  & Record<
    "b0" | "b1" | "b2" | "b3" | "b4" | "b5",
    string
  >;

const adjustSql = statement<Adjustment>()((db, p) =>
  db.insertInto("list_counts")
    .values(
      [p.b0, p.b1, p.b2, p.b3, p.b4, p.b5].map((bucket, level) => ({
        org_id: p.org_id,
        list: p.list,
        level: sql.lit(level),
        bucket,
        shard: p.shard,
        n: p.n,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(["org_id", "list", "level", "bucket", "shard"])
        .doUpdateSet({ n: sql`list_counts.n + excluded.n` })
    )
);

/** Counts a row in (`by` 1) or out (`by` -1) of a list; `instant` as in lib/timestamps.ts. */
export async function countRow(
  tx: Tx,
  row: { org_id: string; list: string; instant: string },
  by: 1 | -1,
): Promise<void> {
  const bucket = (level: number) => row.instant.slice(0, LEVELS[level]);
  await tx.change(adjustSql, {
    org_id: row.org_id,
    list: row.list,
    shard: tx.dialect === "postgres" ? Math.floor(Math.random() * POSTGRES_SHARDS) : 0,
    n: by,
    b0: bucket(0),
    b1: bucket(1),
    b2: bucket(2),
    b3: bucket(3),
    b4: bucket(4),
    b5: bucket(5),
  });
}

const bucketsSql = statement<
  { org_id: string; list: string; level: number; from: string; to: string }
>()(
  (db, p) =>
    db.selectFrom("list_counts")
      .select(["bucket", (eb) => eb.fn.sum<number>("n").as("n")])
      .where("org_id", "=", p.org_id)
      .where("list", "=", p.list)
      .where("level", "=", p.level)
      .where("bucket", ">=", p.from)
      .where("bucket", "<", p.to)
      .groupBy("bucket"),
);

/** How many rows these lists have together. */
export async function countRows(
  db: Connection,
  org_id: string,
  lists: readonly string[],
): Promise<number> {
  return (await buckets(db, org_id, lists, 0, "")).get("") ?? 0;
}

/** Where a page starts: rows with an instant below `before`, newest first, after leaving out `skip` of them. */
export interface Position {
  before: string;
  skip: number;
}

/** The position `offset` rows from the newest of these lists; its `skip` stays within one minute's rows. */
export async function seekNewest(
  db: Connection,
  org_id: string,
  lists: readonly string[],
  offset: number,
): Promise<Position> {
  let prefix = "";
  let skip = offset;
  for (let level = 1; level < LEVELS.length; level++) {
    const counts = await buckets(db, org_id, lists, level, prefix);
    const names = [...counts.keys()].sort().reverse();
    const found = names.find((name) => {
      const n = counts.get(name) ?? 0;
      if (skip < n) return true;
      skip -= n;
      return false;
    });
    if (found === undefined) break;
    prefix = found;
  }
  return { before: prefix + AFTER, skip };
}

async function buckets(
  db: Connection,
  org_id: string,
  lists: readonly string[],
  level: number,
  prefix: string,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const list of lists) {
    const rows = await db.rows(bucketsSql, {
      org_id,
      list,
      level,
      from: prefix,
      to: prefix + AFTER,
    });
    for (const { bucket, n } of rows) counts.set(bucket, (counts.get(bucket) ?? 0) + Number(n));
  }
  return counts;
}
