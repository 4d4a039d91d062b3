import { sql } from "kysely";
import { listCounter } from "../../storage/list-counts.ts";
import { statement } from "../../storage/statement.ts";
import type { Tx } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";
import { listOf } from "./key-request.ts";

const PENDING = [listOf("pending", 0), listOf("pending", 1)] as const;
const pending = listCounter(PENDING);

const lockSql = (how: "shared" | "exclusive") =>
  statement<{ org: string; developer: string }>()((db, p) => {
    const lock = sql.raw(
      how === "shared" ? "pg_advisory_xact_lock_shared" : "pg_advisory_xact_lock",
    );
    return {
      compile: () =>
        sql`select ${lock}(hashtextextended(${p.org}, 0)), ${lock}(hashtextextended(${p.developer}, 0))`
          .compile(db),
    };
  });
const shareSql = lockSql("shared");
const lockLimitSql = lockSql("exclusive");

/**
 * Until the transaction ends no one who `holds` counts what waits in the organisation and of the
 * developer, and where this one `holds`, no one else does at all. SQLite has one writer at a time.
 */
export async function lockCounts(
  tx: Tx,
  org_id: string,
  by_user: string,
  holds: boolean,
): Promise<void> {
  if (tx.dialect !== "postgres") return;
  const names = { org: `pending ${org_id}`, developer: `pending ${org_id} ${by_user}` };
  await tx.send(holds ? lockLimitSql : shareSql, names);
}

const countSql = variants((most: number) =>
  statement<{ org_id: string; by_user: string }>()<
    { developer: number; organisation: number | null }
  >((db, p) => {
    const walked = db.selectFrom("key_requests").select(sql.lit(1).as("one"))
      .where("org_id", "=", p.org_id).where("by_user", "=", p.by_user)
      .where("state", "=", sql.lit("pending")).limit(sql.lit(most));
    return {
      compile: () =>
        sql<{ developer: number; organisation: number | null }>`
          select (select count(*) from ${walked} as walked) as developer,
            ${pending.total(p.org_id)} as organisation`.compile(db),
    };
  })
);

/** How many requests wait of a developer, `most` at the most, and in the organisation. */
export async function countWaiting(
  tx: Tx,
  org_id: string,
  by_user: string,
  most: number,
): Promise<{ developer: number; organisation: number }> {
  const row = await tx.row(countSql(most), { org_id, by_user });
  // Counts of this commit are not written yet. Numbers come back as text from one of the engines.
  const own = PENDING.reduce((sum, list) => sum + tx.counts.soFar(org_id, list), 0);
  return {
    developer: Number(row?.developer ?? 0),
    organisation: Number(row?.organisation ?? 0) + own,
  };
}
