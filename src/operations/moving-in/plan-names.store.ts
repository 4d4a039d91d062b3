import { sql } from "kysely";
import { statement } from "../../storage/statement.ts";
import type { Connection } from "../../storage/storage.ts";

const nameSql = statement<{ org_id: string; name: string; id: string }>()((db, p) =>
  db.selectFrom("plans").select("id").where("org_id", "=", p.org_id).where("name", "=", p.name)
    .where("deleted_at", "is", null).where("id", "<>", p.id).limit(sql.lit(1))
);

/** Whether another plan than the one of this `_id` has the name. */
export async function planNameTaken(
  db: Connection,
  org_id: string,
  name: string,
  id: string,
): Promise<boolean> {
  return await db.row(nameSql, { org_id, name, id }) !== undefined;
}
