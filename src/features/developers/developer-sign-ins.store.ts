import { statement } from "../../storage/statement.ts";
import type { Tx } from "../../storage/storage.ts";

type Of = { org_id: string; developer_id: string };

const tables = [
  "developer_sessions",
  "developer_tokens",
  "developer_links",
  "developer_codes",
  "developer_identities",
] as const;

const endSql = tables.map((table) =>
  statement<Of>()((db, p) =>
    db.deleteFrom(table).where("org_id", "=", p.org_id).where("developer_id", "=", p.developer_id)
  )
);

/**
 * Ends whatever a developer is signed in by: whoever is registered under their id later is somebody
 * else.
 */
export async function endSignInsOf(tx: Tx, of: Of): Promise<void> {
  for (const sql of endSql) await tx.send(sql, of);
}
