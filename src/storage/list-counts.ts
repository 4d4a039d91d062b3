import { sql } from "kysely";
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
/** A bucket of this many rows is small enough to be walked. */
const WALKABLE = 256;
/** Sorts after every bucket of the same prefix. */
const AFTER = "~";

/**
 * Counts a row in (`by` 1) or out (`by` -1) of a list; `instant` as in lib/timestamps.ts. The counters change at
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
  /** The position `offset` rows from the newest. Its `skip` stays small unless one minute holds very many rows. */
  seekNewest(db: Connection, org_id: string, offset: number): Promise<Position>;
  /** The same from the oldest: rows that sort at or after `from`, after leaving out `skip` of them. */
  seekOldest(
    db: Connection,
    org_id: string,
    offset: number,
  ): Promise<{ from: string; skip: number }>;
}

/**
 * The counter over these lists. Their names stand in the statement itself, so they must be ours. A position is
 * narrowed down until at most `walkable` rows are to be skipped.
 */
export function listCounter(lists: readonly string[], walkable = WALKABLE): ListCounter {
  const names = lists.map((list) => sql.lit(list));
  const totalSql = statement<{ org_id: string }>()((db, p) =>
    db.selectFrom("list_counts").select((eb) => eb.fn.sum<number>("n").as("n"))
      .where("org_id", "=", p.org_id).where("list", "in", names).where("level", "=", sql.lit(0))
  );
  const bucketsSql = statement<{ org_id: string; level: number; from: string; to: string }>()(
    (db, p) =>
      db.selectFrom("list_counts")
        .select(["bucket", (eb) => eb.fn.sum<number>("n").as("n")])
        .where("org_id", "=", p.org_id).where("list", "in", names).where("level", "=", p.level)
        .where("bucket", ">=", p.from).where("bucket", "<", p.to)
        .groupBy("bucket"),
  );
  const narrow = async (db: Connection, org_id: string, offset: number, order: 1 | -1) => {
    let position = { prefix: "", skip: offset };
    for (let level = 1; level < INSTANT_LEVELS.length && position.skip > walkable; level++) {
      const { prefix } = position;
      const range = { org_id, level, from: prefix, to: prefix + AFTER };
      const found = findBucket(await db.rows(bucketsSql, range), position.skip, order);
      if (!found) break;
      position = { prefix: found.bucket, skip: found.skip };
    }
    return position;
  };
  return {
    count: async (db, org_id) => Number((await db.row(totalSql, { org_id }))?.n ?? 0),
    seekNewest: async (db, org_id, offset) => {
      const { prefix, skip } = await narrow(db, org_id, offset, -1);
      return { before: prefix + AFTER, skip };
    },
    seekOldest: async (db, org_id, offset) => {
      const { prefix, skip } = await narrow(db, org_id, offset, 1);
      return { from: prefix, skip };
    },
  };
}

/** The bucket, oldest (`order` 1) or newest (-1) first, in which the row after `skip` others lies, and how many to skip inside it. */
function findBucket(
  counts: readonly { bucket: string; n: number }[],
  skip: number,
  order: 1 | -1,
): { bucket: string; skip: number } | undefined {
  let left = skip;
  for (const { bucket, n } of [...counts].sort((a, b) => a.bucket < b.bucket ? -order : order)) {
    // A sum comes back as text from one of the engines.
    const rows = Number(n);
    if (left < rows) return { bucket, skip: left };
    left -= rows;
  }
  return undefined;
}
