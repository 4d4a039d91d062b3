import { sql } from "kysely";
import { checkedColumns, type CheckedRow } from "../../changes/checked-rows.ts";
import type { QueryBuilder } from "../../storage/statement.ts";
import { change, one } from "../../storage/statement-functions.ts";

/** A credential with what verification tells of it. `plans` is a JSON array of plan ids. */
export interface VerifiedRow extends CheckedRow<"credentials"> {
  mask: string;
  /** The key id that its quotas are counted under; null: its own. */
  quota_key: string | null;
  /** The developer's e-mail as it is compared; null: no one knows the developer. */
  email_key: string | null;
  /** The address, where mail to it is known to have reached the developer; see addressKey. */
  verified_address: string | null;
  /** The state of a changed address; null: it never changed. */
  proof_state: string | null;
  proof_address: string | null;
  last_used_at: string | null;
}

function verifiedRows(db: QueryBuilder) {
  return db.selectFrom("credentials as c")
    .leftJoin(
      "developers as d",
      (join) => join.onRef("d.org_id", "=", "c.org_id").onRef("d.id", "=", "c.developer_id"),
    )
    .leftJoin(
      "credential_uses as u",
      (join) => join.onRef("u.org_id", "=", "c.org_id").onRef("u.key_id", "=", "c.key_id"),
    )
    .leftJoin(
      "verified_emails as v",
      (join) =>
        join.onRef("v.org_id", "=", "c.org_id").onRef("v.id", "=", "c.developer_id")
          .onRef("v.email_key", "=", "d.email_key"),
    )
    .leftJoin(
      "developer_emails as e",
      (join) => join.onRef("e.org_id", "=", "c.org_id").onRef("e.id", "=", "c.developer_id"),
    )
    .select(checkedColumns.credentials.map((column) => `c.${column}` as const))
    .select(["c.checksum", "c.mask", "c.quota_key", "d.email_key", "u.last_used_at"])
    .select(["v.address as verified_address", "e.state as proof_state"])
    .select("e.address as proof_address");
}

/** The credential whose key, user name or client_id has this SHA-256, in any state. */
export const findVerified = one((db, p: { org_id: string; key_id: string }) =>
  verifiedRows(db).where("c.org_id", "=", p.org_id).where("c.key_id", "=", p.key_id)
    .where("c.algorithm", "in", ["sha256", "sha256-conditions"])
);

/** Finds an imported key that was never used, by the id that it has until then. */
export const findUnused = one((db, p: { org_id: string; key_id: string }) =>
  verifiedRows(db).where("c.org_id", "=", p.org_id).where("c.key_id", "=", p.key_id)
    .where((eb) =>
      eb.or([
        eb("c.algorithm", "not in", ["sha256", "sha256-conditions"]),
        eb("c.wrapped_by", "is not", null),
      ])
    )
);

/** The deciding columns of a key, by a hash of another kind than SHA-256. */
export const findImported = one((db, p: { org_id: string; key_id: string }) =>
  db.selectFrom("credentials").select(["state", "expires_at", "algorithm", "use_before"])
    .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
    .where("algorithm", "<>", sql.lit("sha256"))
    .where("algorithm", "<>", sql.lit("sha256-conditions"))
);

/**
 * The client's key id and the end of an OAuth token, by the token's SHA-256, and by what
 * conditionalHash makes of it.
 */
export const findToken = one((db, p: { org_id: string; hash: string; conditional: string }) =>
  db.selectFrom("oauth_tokens").select(["key_id", "expires_at"])
    .where("org_id", "=", p.org_id).where("hash", "in", [p.hash, p.conditional])
);

/** One use of a key. */
export interface UseRow {
  org_id: string;
  key_id: string;
  last_used_at: string;
}

/** Keeps the latest use of a key. */
export const noteUse = change((db, p: UseRow) =>
  db.insertInto("credential_uses")
    .values({ org_id: p.org_id, key_id: p.key_id, last_used_at: p.last_used_at })
    .onConflict((conflict) =>
      conflict.columns(["org_id", "key_id"])
        .doUpdateSet({ last_used_at: p.last_used_at })
        .where("credential_uses.last_used_at", "<", p.last_used_at)
    )
);
