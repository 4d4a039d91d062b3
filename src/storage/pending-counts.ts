import { sql } from "kysely";
import { statement } from "./statement.ts";
import type { Connection, CountChanges, Levels } from "./storage.ts";

/** On PostgreSQL a counter is spread over this many rows, so that writers of one list do not queue up on it. */
const POSTGRES_SHARDS = 16;

/** A change of one bucket of the last level, and so of the four above it. */
interface PendingCount {
  org_id: string;
  list: string;
  /** What sorts the rows, cut to the last level. */
  bucket: string;
  levels: Levels;
  by: number;
}

type Adjustment =
  & { org_id: string; list: string; shard: number; n: number }
  & Record<"b0" | "b1" | "b2" | "b3" | "b4", string>;

const adjustSql = statement<Adjustment>()((db, p) =>
  db.insertInto("list_counts")
    .values(
      [p.b0, p.b1, p.b2, p.b3, p.b4].map((bucket, level) => ({
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

/**
 * Changes of list counters that wait for the end of their transaction: summed up there, those of one list and
 * minute cost one statement, and no counter is held for longer than the commit takes.
 */
export class PendingCounts implements CountChanges {
  readonly #counts = new Map<string, PendingCount>();

  add(row: { org_id: string; list: string; key: string; levels: Levels }, by: number): void {
    const bucket = row.key.slice(0, row.levels[4]);
    this.#add({ org_id: row.org_id, list: row.list, bucket, levels: row.levels, by });
  }

  /** Takes over what another transaction of the same commit counted. */
  addAll(other: PendingCounts): void {
    for (const count of other.#counts.values()) this.#add(count);
  }

  #add(count: PendingCount): void {
    const name = `${count.org_id} ${count.list} ${count.bucket}`;
    const known = this.#counts.get(name);
    if (known) known.by += count.by;
    else this.#counts.set(name, { ...count });
  }

  /** Writes the sums, in one order everywhere, so that two commits can't wait for each other. */
  async apply(db: Connection): Promise<void> {
    for (const [, count] of [...this.#counts].sort(([a], [b]) => a < b ? -1 : 1)) {
      if (count.by === 0) continue;
      const { org_id, list, levels, bucket } = count;
      const at = (level: number) => bucket.slice(0, levels[level]);
      await db.change(adjustSql, {
        org_id,
        list,
        shard: db.dialect === "postgres" ? Math.floor(Math.random() * POSTGRES_SHARDS) : 0,
        n: count.by,
        b0: at(0),
        b1: at(1),
        b2: at(2),
        b3: at(3),
        b4: at(4),
      });
    }
  }
}
