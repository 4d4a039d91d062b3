import { sql } from "kysely";
import { statement } from "./statement.ts";
import { defineTransaction } from "./storage.ts";

const insertSql = statement<{ position: number; at: string }>()((db, p) =>
  db.insertInto("invalidations").values({
    position: p.position,
    org_id: sql.lit(""),
    kind: sql.lit("key"),
    object_id: sql.lit(""),
    at: p.at,
  })
);

const deleteSql = statement<{ position: number }>()((db, p) =>
  db.deleteFrom("invalidations").where("position", "=", p.position)
);

/**
 * A durable commit that changes nothing, to find out whether one is possible. A row comes and goes,
 * which no one else sees: an update to what is there already would be no write to SQLite.
 * `position`: below 0, and no one else's.
 */
export const attemptWrite = defineTransaction(
  "storage.attempt-write",
  async (tx, row: { position: number; at: string }) => {
    await tx.change(insertSql, row);
    await tx.change(deleteSql, { position: row.position });
    return null;
  },
  { withoutRoom: true },
);
