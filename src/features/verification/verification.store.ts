import { sql } from "kysely";
import { checkedColumns, type CheckedRow } from "../../changes/checked-rows.ts";
import { statement } from "../../storage/statement.ts";
import type { Connection, Tx } from "../../storage/storage.ts";
import type { KeyStanding } from "../keys/key.ts";

/** A credential with what verification tells of it. `plans` is a JSON array of plan ids. */
export interface VerifiedRow extends CheckedRow<"credentials"> {
  mask: string;
  /** The developer's e-mail as it is compared; null: nobody knows the developer. */
  email_key: string | null;
  last_used_at: string | null;
}

const findSql = statement<{ org_id: string; key_id: string }>()((db, p) =>
  db.selectFrom("credentials as c")
    .leftJoin(
      "developers as d",
      (join) => join.onRef("d.org_id", "=", "c.org_id").onRef("d.id", "=", "c.developer_id"),
    )
    .leftJoin(
      "credential_uses as u",
      (join) => join.onRef("u.org_id", "=", "c.org_id").onRef("u.key_id", "=", "c.key_id"),
    )
    .select(checkedColumns.credentials.map((column) => `c.${column}` as const))
    .select(["c.checksum", "c.mask", "d.email_key", "u.last_used_at"])
    .where("c.org_id", "=", p.org_id).where("c.key_id", "=", p.key_id)
    .where("c.algorithm", "=", sql.lit("sha256"))
);

/** The credential whose key, user name or client_id has this SHA-256, in any state. */
export function findVerified(
  db: Connection,
  org_id: string,
  key_id: string,
): Promise<VerifiedRow | undefined> {
  return db.row(findSql, { org_id, key_id });
}

const importedSql = statement<{ org_id: string; key_id: string }>()((db, p) =>
  db.selectFrom("credentials").select(["state", "expires_at", "algorithm", "use_before"])
    .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
    .where("algorithm", "<>", sql.lit("sha256"))
);

/** What decides about the state of a credential that is known by this hash, of another kind than SHA-256. */
export function findImported(
  db: Connection,
  org_id: string,
  key_id: string,
): Promise<KeyStanding | undefined> {
  return db.row(importedSql, { org_id, key_id });
}

const findTokenSql = statement<{ org_id: string; hash: string }>()((db, p) =>
  db.selectFrom("oauth_tokens").select(["key_id", "expires_at"])
    .where("org_id", "=", p.org_id).where("hash", "=", p.hash)
);

/** The client's key id and the end of an OAuth token, by the token's SHA-256. */
export function findToken(
  db: Connection,
  org_id: string,
  hash: string,
): Promise<{ key_id: string; expires_at: string } | undefined> {
  return db.row(findTokenSql, { org_id, hash });
}

/** One use of a key. */
export interface UseRow {
  org_id: string;
  key_id: string;
  last_used_at: string;
}

const noteUseSql = statement<{ [K in keyof UseRow]: UseRow[K] }>()((db, p) =>
  db.insertInto("credential_uses")
    .values({ org_id: p.org_id, key_id: p.key_id, last_used_at: p.last_used_at })
    .onConflict((conflict) =>
      conflict.columns(["org_id", "key_id"])
        .doUpdateSet({ last_used_at: p.last_used_at })
        .where("credential_uses.last_used_at", "<", p.last_used_at)
    )
);

/** Keeps the latest use of a key. */
export async function noteUse(tx: Tx, row: UseRow): Promise<void> {
  await tx.change(noteUseSql, { ...row });
}
