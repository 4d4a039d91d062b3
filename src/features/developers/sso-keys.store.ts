import { sql } from "kysely";
import { statement } from "../../storage/statement.ts";
import { all, exists, lockAll, value } from "../../storage/statement-functions.ts";
import type { Tx } from "../../storage/storage.ts";

type Place = { org_id: string; id: string };

/** Whether a developer of any organisation waits for the hash of their sso_key. */
export const hasUnhashed = exists((db) =>
  db.selectFrom("developers").select("id").where("sso_key_hash", "is", null)
    .where("secrets", "is not", null).limit(sql.lit(1))
);

/** Whether one of this organisation waits. */
export const hasUnhashedOf = exists((db, p: { org_id: string }) =>
  db.selectFrom("developers").select("id").where("org_id", "=", p.org_id)
    .where("sso_key_hash", "is", null).where("secrets", "is not", null).limit(sql.lit(1))
);

/** Developers of one chunk. */
const CHUNK = 256;

/** Developers that wait, from this organisation on, held until the transaction ends. */
export const lockUnhashed = lockAll(
  (db, p: { from: string }) =>
    db.selectFrom("developers").select(["org_id", "id", "document", "secrets"])
      .where("sso_key_hash", "is", null).where("secrets", "is not", null)
      .where("org_id", ">=", p.from).orderBy("org_id").orderBy("id").limit(sql.lit(CHUNK)),
  (query) => query.forUpdate().skipLocked(),
);

/** The id of the developer with the sso_key of this hash, or undefined. */
export const findSsoKeyOwner = value((db, p: { org_id: string; hash: string }) =>
  db.selectFrom("developers").select("id").where("org_id", "=", p.org_id)
    .where("sso_key_hash", "=", p.hash).where("sso_key_hash", "<>", sql.lit(""))
    .orderBy("sso_key_shared").limit(sql.lit(1))
);

const setSql = statement<Place & { hash: string; shared: string }>()((db, p) =>
  db.updateTable("developers").set({ sso_key_hash: p.hash, sso_key_shared: p.shared })
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/**
 * Sets by which hash a developer that this transaction holds is found. Fails where another has it
 * and it is not shared.
 */
export async function setSsoKeyHash(
  tx: Tx,
  { org_id, id }: Place,
  { hash, shared }: { hash: string; shared: boolean },
): Promise<void> {
  await tx.change(setSql, { org_id, id, hash, shared: shared ? id : "" });
}

/** Developers who share an sso_key are counted up to here. */
const COUNTED = 1000;

/** Developers of all organisations whose sso_key finds another one; COUNTED at most. */
export const sharedSsoKeysOfAll = all((db) =>
  db.selectFrom("developers").select(["org_id", "id"]).where("sso_key_shared", "<>", sql.lit(""))
    .orderBy("org_id").orderBy("id").limit(sql.lit(COUNTED))
);

/** The shared keys of one organisation. */
export const sharedSsoKeysOf = all((db, p: { org_id: string }) =>
  db.selectFrom("developers").select(["org_id", "id"]).where("org_id", "=", p.org_id)
    .where("sso_key_shared", "<>", sql.lit("")).orderBy("id").limit(sql.lit(COUNTED))
);
