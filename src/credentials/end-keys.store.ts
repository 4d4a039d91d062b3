import { sql } from "kysely";
import { statement } from "../storage/statement.ts";
import type { Connection, Tx } from "../storage/storage.ts";

const liveSql = statement<{ org_id: string; developer_id: string }>()((db, p, dialect) => {
  const query = db.selectFrom("credentials").select("key_id")
    .where("org_id", "=", p.org_id).where("developer_id", "=", p.developer_id)
    .where("state", "<>", "revoked");
  // Locks in one order; where there are none, an order would only lead away from the right index.
  return dialect === "postgres" ? query.orderBy("key_id").forUpdate() : query;
});

/** The key ids of a developer's credentials that are not revoked, held until the transaction ends. */
export async function lockLiveKeys(
  tx: Tx,
  org_id: string,
  developer_id: string,
): Promise<string[]> {
  return (await tx.rows(liveSql, { org_id, developer_id })).map((row) => row.key_id);
}

const revokeSql = statement<{ org_id: string; key_id: string; at: string; reason: string }>()(
  (db, p) =>
    db.updateTable("credentials")
      .set({ state: sql.lit("revoked"), state_changed_at: p.at, state_reason: p.reason })
      .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id),
);

/** Revokes a credential that this transaction holds. */
export async function markRevoked(
  tx: Tx,
  credential: { org_id: string; key_id: string; at: string; reason: string },
): Promise<void> {
  await tx.change(revokeSql, credential);
}

const ownSql = statement<{ org_id: string; developer_id: string }>()((db, p) =>
  db.selectFrom("credentials").select("key_id")
    .where("org_id", "=", p.org_id).where("developer_id", "=", p.developer_id)
);

/** The key ids of all credentials of a developer, in any state. */
export async function findOwnKeys(
  db: Connection,
  org_id: string,
  developer_id: string,
): Promise<string[]> {
  return (await db.rows(ownSql, { org_id, developer_id })).map((row) => row.key_id);
}
