import { sql } from "kysely";
import { statement } from "../../storage/statement.ts";
import { exists, values } from "../../storage/statement-functions.ts";
import type { Connection, Tx } from "../../storage/storage.ts";
import { type LockedKeyRow, lockKey } from "./key-life.store.ts";

const liveSql = statement<{ org_id: string; developer_id: string }>()((db, p) =>
  db.selectFrom("credentials").select("key_id")
    .where("org_id", "=", p.org_id).where("developer_id", "=", p.developer_id)
    .where("state", "in", ["active", "suspended"])
);

/**
 * Whether keys that live, or that were ended and can come back by themselves at `now`, name this
 * developer, registered or not. One statement, so that a key which comes back or ends meanwhile is
 * seen on one side.
 */
export const hasFormerKeys = exists((
  db,
  p: { org_id: string; developer_id: string; now: string },
) =>
  db.selectFrom("credentials").select("key_id")
    .where("org_id", "=", p.org_id).where("developer_id", "=", p.developer_id)
    .where("state", "in", ["active", "suspended"])
    .unionAll(
      db.selectFrom("ended_keys").select("key_id")
        .where("org_id", "=", p.org_id).where("developer_id", "=", p.developer_id)
        .where("deletion", "=", sql.lit("")).where("expires_at", ">", p.now),
    ).limit(sql.lit(1))
);

/** A developer's keys that are not revoked, held until the transaction ends. */
export async function lockLiveKeys(
  tx: Tx,
  org_id: string,
  developer_id: string,
): Promise<LockedKeyRow[]> {
  const locked: LockedKeyRow[] = [];
  const rows = await tx.rows(liveSql, { org_id, developer_id });
  // In one order, so that two transactions can't wait for each other.
  for (const key_id of rows.map((row) => row.key_id).sort()) {
    const key = await lockKey(tx, org_id, key_id);
    if (key && key.state !== "revoked") locked.push(key);
  }
  return locked;
}

/** The key ids of all keys of a developer, in any state. */
export const findOwnKeys = values((db, p: { org_id: string; developer_id: string }) =>
  db.selectFrom("credentials").select("key_id")
    .where("org_id", "=", p.org_id).where("developer_id", "=", p.developer_id)
);

const liveIdsSql = statement<{ org_id: string; developer_id: string }>()((db, p) =>
  db.selectFrom("credentials").select(["key_id", "plans", "imported_as", "replaced_by"])
    .where("org_id", "=", p.org_id).where("developer_id", "=", p.developer_id)
    .where("state", "in", ["active", "suspended"])
);

/** A developer's keys that are not revoked, as their maps would name them. */
export async function findLiveKeys(db: Connection, org_id: string, developer_id: string) {
  const rows = await db.rows(liveIdsSql, { org_id, developer_id });
  // as: a key's plans are stored as an array of ids.
  return rows.map((row) => ({ ...row, plans: JSON.parse(row.plans) as string[] }));
}

/** One of them. */
export type LiveKey = Awaited<ReturnType<typeof findLiveKeys>>[number];

/** Why keys are suspended that are so with their developer, who is inactive. */
export const SUSPENDED_WITH_DEVELOPER = "developer deactivated";

/** No more of them are counted. */
const COUNTED = 1000;

const suspendedSql = statement<{ org_id: string; developer_id: string; reason: string }>()(
  (db, p) =>
    db.selectFrom("credentials").select("key_id")
      .where("org_id", "=", p.org_id).where("developer_id", "=", p.developer_id)
      .where("state", "=", "suspended").where("state_reason", "=", p.reason)
      .limit(sql.lit(COUNTED)),
);

/** How many keys are suspended with their developer; 1000: so many or more. */
export async function countSuspendedWith(
  db: Connection,
  org_id: string,
  developer_id: string,
): Promise<number> {
  const reason = SUSPENDED_WITH_DEVELOPER;
  return (await db.rows(suspendedSql, { org_id, developer_id, reason })).length;
}
