import { sql } from "kysely";
import { checkedColumns, type CheckedRow } from "../../changes/checked-rows.ts";
import { statement } from "../../storage/statement.ts";
import { all, change, changed, lockOne, one } from "../../storage/statement-functions.ts";
import { inserts, removes } from "../../storage/table-statements.ts";
import type { Tx } from "../../storage/storage.ts";

/** An OAuth client's key as authentication needs it. */
export type OAuthClient = CheckedRow<"credentials">;

/**
 * The clients whose id has this SHA-256, the oldest first: of any organisation, because a client
 * does not say whose it is. The secret, compared by the caller, tells which one is meant.
 */
export const findClients = all((db, p: { key_id: string }) =>
  db.selectFrom("credentials").select(checkedColumns.credentials).select("checksum")
    // The words of the partial index, so that an engine knows that it serves.
    .where("key_id", "=", p.key_id).where(sql<boolean>`kind = 'oauth'`)
    .orderBy("issued_at").orderBy("org_id")
);

type Place = { org_id: string; key_id: string };

/** State and end of a client's key, held until the transaction ends; or undefined. */
export const lockClient = lockOne((db, p: Place) =>
  db.selectFrom("credentials").select(["state", "expires_at", "algorithm"])
    .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
    .where("kind", "=", sql.lit("oauth"))
);

/** A token to store: its hash only. */
interface TokenRow {
  org_id: string;
  hash: string;
  key_id: string;
  client_id: string;
  issued_at: string;
  expires_at: string;
}

/** Stores a token; a repeated transaction stores it once. */
export const insertToken = change(inserts("oauth_tokens", { unless: ["org_id", "hash"] }));

/** Tokens that a client may hold at once. */
export const MOST_TOKENS = 100;

const beyondSql = statement<Place>()((db, p) =>
  db.selectFrom("oauth_tokens").select("hash")
    .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
    .orderBy("issued_at", "desc").orderBy("hash", "desc")
    .limit(sql.lit(MOST_TOKENS)).offset(sql.lit(MOST_TOKENS - 1))
);

/** Removes a token of this client. False where it has none with this hash. */
export const removeToken = changed(removes("oauth_tokens", "org_id", "hash", "key_id"));

/**
 * Makes room for one more token of a client, whose key is held: the oldest go. Gives how
 * many went.
 */
export async function makeRoom(tx: Tx, org_id: string, key_id: string): Promise<number> {
  const beyond = await tx.rows(beyondSql, { org_id, key_id });
  for (const { hash } of beyond) await removeToken(tx, { org_id, key_id, hash });
  return beyond.length;
}

/**
 * A token of the organisation with its client's key, whatever became of either, by the
 * token's SHA-256 and by what conditionalHash makes of it.
 */
export const findToken = one((db, p: { org_id: string; hash: string; conditional: string }) =>
  db.selectFrom("oauth_tokens as t")
    .innerJoin(
      "credentials as c",
      (join) => join.onRef("c.org_id", "=", "t.org_id").onRef("c.key_id", "=", "t.key_id"),
    )
    .select(["t.client_id", "t.issued_at as token_issued_at", "t.expires_at as token_expires_at"])
    .select(checkedColumns.credentials.map((column) => `c.${column}` as const))
    .select("c.checksum")
    .where("t.org_id", "=", p.org_id).where("t.hash", "in", [p.hash, p.conditional])
);
