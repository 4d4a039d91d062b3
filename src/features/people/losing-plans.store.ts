import { sql } from "kysely";
import { effectivePermissions } from "../../calls/principal.ts";
import { statement } from "../../storage/statement.ts";
import type { Connection } from "../../storage/storage.ts";
import { isInForce } from "./access-token.ts";

/** An access token that could change plans by `portal:write` and, as the audit log tells, did. */
export interface LosingToken {
  org_id: string;
  id: string;
  name: string;
  person_id: string;
  person: string;
}

const changersSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("audit_events").select(["org_id", "actor"]).distinct()
    .where("object", "in", ["plan", "catalogue", "configuration"].map((one) => sql.lit(one)))
);

const holdersSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("access_tokens as t")
    .innerJoin("users as u", (join) =>
      join.onRef("u.org_id", "=", "t.org_id").onRef("u.id", "=", "t.user_id"))
    .select(["t.org_id", "t.id", "t.name", "t.expires_at", "t.revoked_at", "t.scope"])
    .select(sql<string | null>`null`.as("suspended_at"))
    .select(["u.id as person_id", "u.name as person", "u.permissions"])
    .orderBy("t.org_id").orderBy("t.id")
);

/**
 * The access tokens in force that lose the right to change plans by the step that gives it a
 * permission of its own: those with `portal:write` and without `admin`, of people whom the
 * audit log knows to have changed plans, catalogue or configuration, in every organisation.
 */
export async function tokensLosingPlans(db: Connection, now: number): Promise<LosingToken[]> {
  const changers = new Set<string>();
  for (const { org_id, actor } of await db.rows(changersSql, {})) {
    changers.add(`${org_id} ${actor}`);
  }
  const rows = await db.rows(holdersSql, {});
  return rows.filter((row) => {
    const permissions = effectivePermissions(row.permissions, row.scope);
    return isInForce(row, now) && permissions.includes("portal:write") &&
      !permissions.includes("admin") &&
      changers.has(`${row.org_id} ${row.person_id}`);
  }).map(({ org_id, id, name, person_id, person }) => ({ org_id, id, name, person_id, person }));
}
