import { sql } from "kysely";
import { statement } from "../../storage/statement.ts";
import { change, one } from "../../storage/statement-functions.ts";
import { finds, puts } from "../../storage/table-statements.ts";
import type { Connection } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";

type Place = { org_id: string; developer_id: string; plan_id: string };

/**
 * Until when a developer has access to a plan, as was decided last; null: for good. Undefined:
 * nothing was decided about it. `plan_id`: the plan's `_id`.
 */
export const findAccess = one(finds("plan_accesses", { columns: ["granted_at", "ends_at"] }));

/** Keeps what was decided, in place of what was decided before. */
export const putAccess = change(puts("plan_accesses"));

/** Keys of a developer that are looked at in each state: the newest so many. */
const LOOKED_AT = 100;

const keysSql = variants((state: "active" | "suspended" | "revoked") =>
  statement<{ org_id: string; developer_id: string }>()((db, p) =>
    db.selectFrom("credentials")
      .select(["key_id", "state", "plans", "issued_at", "expires_at", "replaced_by"])
      .select(["quota_key", "quota_from", "name", "request_id"])
      .where("org_id", "=", p.org_id).where("developer_id", "=", p.developer_id)
      .where("state", "=", state)
      .orderBy("issued_at", "desc").orderBy("key_id", "desc").limit(sql.lit(LOOKED_AT))
  )
);

/** A developer's newest keys of each state, revoked ones too; the newest first. */
export async function newestKeysOf(db: Connection, of: { org_id: string; developer_id: string }) {
  const { org_id, developer_id } = of;
  const rows = [];
  for (const state of ["active", "suspended", "revoked"] as const) {
    rows.push(...await db.rows(keysSql(state), { org_id, developer_id }));
  }
  return rows.toSorted((a, b) => a.issued_at < b.issued_at ? 1 : -1);
}
