import { sql } from "kysely";
import type { StoredRow } from "../../storage/schema.ts";
import { rowOf } from "../../storage/rows.ts";
import { statement } from "../../storage/statement.ts";
import { change } from "../../storage/statement-functions.ts";
import { removes } from "../../storage/table-statements.ts";
import type { Connection } from "../../storage/storage.ts";

/** A process that serves, as it last said. */
type NodeRow = StoredRow<"nodes">;

/** Notes that a process serves. */
export const putNode = change((db, p: NodeRow) =>
  db.insertInto("nodes").values(rowOf("nodes", p)).onConflict((conflict) =>
    conflict.column("id").doUpdateSet({
      seen_at: sql<string>`excluded.seen_at`,
      stale_ms: sql<number>`excluded.stale_ms`,
      ahead_ms: sql<number | null>`excluded.ahead_ms`,
    })
  )
);

/**
 * Forgets processes seen before `old`, and those before this one of the same name that were seen
 * before `silent`.
 */
export const forgetNodes = change((
  db,
  p: { id: string; name: string; silent: string; old: string },
) =>
  db.deleteFrom("nodes").where("id", "<>", p.id).where((eb) =>
    eb.or([
      eb("seen_at", "<", p.old),
      eb.and([eb("name", "=", p.name), eb("seen_at", "<", p.silent)]),
    ])
  )
);

/** Forgets a process that ends. */
export const removeNode = change(removes("nodes"));

const listSql = statement<{ since: string }>()((db, p) =>
  db.selectFrom("nodes")
    .select(["id", "name", "version", "started_at", "seen_at", "stale_ms", "ahead_ms"])
    .where("seen_at", ">=", p.since).orderBy("started_at").orderBy("id").limit(sql.lit(MOST))
);
/** More are not listed. */
const MOST = 100;

/** Processes that were seen since then, the longest running first. */
export async function listNodes(db: Connection, since: string): Promise<NodeRow[]> {
  return (await db.rows(listSql, { since }))
    .map((row) => ({
      ...row,
      stale_ms: Number(row.stale_ms),
      ahead_ms: row.ahead_ms === null ? null : Number(row.ahead_ms),
    }));
}
