import { changed, send, values } from "../../storage/statement-functions.ts";
import { removes } from "../../storage/table-statements.ts";
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
 * Ends whatever a developer is signed in by: anyone who is registered under their id later is
 * another person.
 */
export async function endSignInsOf(tx: Tx, of: Of): Promise<void> {
  for (const sql of endSql) await tx.send(sql, of);
}

/** The ids of a developer's sessions, those that are over and not yet removed among them. */
export const sessionIdsOf = values((db, p: Of) =>
  db.selectFrom("developer_sessions").select("id")
    .where("org_id", "=", p.org_id).where("developer_id", "=", p.developer_id)
);

/** The ids of a developer's own tokens, likewise. */
export const tokenIdsOf = values((db, p: Of) =>
  db.selectFrom("developer_tokens").select("id")
    .where("org_id", "=", p.org_id).where("developer_id", "=", p.developer_id)
);

/** The ids of the accounts at providers that sign a developer in. */
export const identityIdsOf = values((db, p: Of) =>
  db.selectFrom("developer_identities").select("id")
    .where("org_id", "=", p.org_id).where("developer_id", "=", p.developer_id)
);

/** Ends a token of a developer. False where there is none. */
export const removeDeveloperToken = changed(
  removes("developer_tokens", "org_id", "developer_id", "id"),
);

/** Withdraws the links by which a back end signs a developer in, or a person sees their pages. */
export const removeDeveloperLinks = send(removes("developer_links", "org_id", "developer_id"));
