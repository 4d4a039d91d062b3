import { sql } from "kysely";
import { statement } from "./statement.ts";
import type { Connection, CountChanges, Levels, Tx } from "./storage.ts";

/**
 * On PostgreSQL a counter is spread over this many rows (buckets), so that writers of one list do
 * not queue up. A transaction uses the same bucket for every counter: two transactions share all
 * their counters' rows or none.
 */
export const POSTGRES_SHARDS = 4;

/** One row of list_counts, and what is to be added to it. */
interface PendingCount {
  org_id: string;
  list: string;
  level: number;
  bucket: string;
  by: number;
}

/** How many counters one statement changes, largest first. A list's entry has five: one a level. */
const BATCHES = [20, 10, 5, 1] as const;

const adjustSql = new Map(BATCHES.map((size) => [size, adjustment(size)]));

/** The statement that adds to `size` rows; their parameters have no names but their places. */
function adjustment(size: number) {
  return statement<(string | number)[]>()((db, p) =>
    db.insertInto("list_counts")
      .values(Array.from({ length: size }, (_, i) => ({
        // as: parametersOf gives each place the type of its column.
        org_id: p[COLUMNS * i] as string,
        list: p[COLUMNS * i + 1] as string,
        level: p[COLUMNS * i + 2] as number,
        bucket: p[COLUMNS * i + 3] as string,
        shard: p[COLUMNS * i + 4] as number,
        n: p[COLUMNS * i + 5] as number,
      })))
      .onConflict((conflict) =>
        conflict.columns(["org_id", "list", "level", "bucket", "shard"])
          .doUpdateSet({ n: sql`list_counts.n + excluded.n` })
      )
  );
}

const COLUMNS = 6;

/**
 * Collects what a transaction adds to list counters. The sums are written at the transaction's end:
 * counters of one list share statements and buckets, and each is locked only while the commit
 * takes.
 */
export class PendingCounts implements CountChanges {
  /** By organisation and list; then by level, and there by bucket. */
  readonly #lists = new Map<
    string,
    { org_id: string; list: string; sums: Map<string, number>[] }
  >();
  /** How often something was added. */
  additions = 0;
  /** The counts of earlier transactions of the same commit. */
  readonly #before: PendingCounts | undefined;

  constructor(before?: PendingCounts) {
    this.#before = before;
  }

  add(row: { org_id: string; list: string; key: string; levels: Levels }, by: number): void {
    this.additions++;
    const { key, levels } = row;
    const sums = this.#sumsOf(row);
    for (let level = 0; level < levels.length; level++) {
      addTo(sums, level, key.slice(0, levels[level]), by);
    }
  }

  soFar(org_id: string, list: string): number {
    const own = this.#lists.get(nameOf(org_id, list))?.sums[0]?.get("") ?? 0;
    return own + (this.#before?.soFar(org_id, list) ?? 0);
  }

  /** Takes over what another transaction of the same commit counted. */
  addAll(other: PendingCounts): void {
    for (const count of other.#rows()) {
      addTo(this.#sumsOf(count), count.level, count.bucket, count.by);
    }
  }

  /** Writes the sums, in one order everywhere, so that two commits can't wait for each other. */
  async apply(db: Pick<Connection, "dialect"> & Pick<Tx, "send">): Promise<void> {
    const rows = [...this.#rows()];
    const shard = db.dialect === "postgres" ? Math.floor(Math.random() * POSTGRES_SHARDS) : 0;
    let done = 0;
    for (const [size, adjust] of adjustSql) {
      for (; rows.length - done >= size; done += size) {
        await db.send(adjust, parametersOf(rows.slice(done, done + size), shard));
      }
    }
  }

  #sumsOf({ org_id, list }: { org_id: string; list: string }): Map<string, number>[] {
    const name = nameOf(org_id, list);
    const known = this.#lists.get(name);
    if (known) return known.sums;
    const sums: Map<string, number>[] = [];
    this.#lists.set(name, { org_id, list, sums });
    return sums;
  }

  /** The counts to write, sorted by list, level and bucket. */
  *#rows(): Generator<PendingCount> {
    for (const [, { org_id, list, sums }] of inOrder(this.#lists)) {
      for (const [level, buckets] of sums.entries()) {
        for (const [bucket, by] of inOrder(buckets)) {
          if (by !== 0) yield { org_id, list, level, bucket, by };
        }
      }
    }
  }
}

function nameOf(org_id: string, list: string): string {
  return `${org_id} ${list}`;
}

function addTo(sums: Map<string, number>[], level: number, bucket: string, by: number): void {
  const buckets = sums[level] ??= new Map();
  buckets.set(bucket, (buckets.get(bucket) ?? 0) + by);
}

function inOrder<V>(map: ReadonlyMap<string, V>): [string, V][] {
  return [...map].sort(([a], [b]) => a < b ? -1 : 1);
}

function parametersOf(rows: readonly PendingCount[], shard: number): (string | number)[] {
  return rows.flatMap((
    { org_id, list, level, bucket, by },
  ) => [org_id, list, level, bucket, shard, by]);
}
