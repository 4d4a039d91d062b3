import { sql } from "kysely";
import { statement } from "../../storage/statement.ts";
import type { Connection, Tx } from "../../storage/storage.ts";

type Place = { org_id: string; id: string };

const waitingSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("developers").select("id").where("sso_key_hash", "is", null)
    .where("secrets", "is not", null).limit(sql.lit(1))
);

/** Whether a developer of any organisation waits for the hash of their sso_key. */
export async function hasUnhashed(db: Connection): Promise<boolean> {
  return await db.row(waitingSql, {}) !== undefined;
}

const waitingOfSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("developers").select("id").where("org_id", "=", p.org_id)
    .where("sso_key_hash", "is", null).where("secrets", "is not", null).limit(sql.lit(1))
);

/** Whether one of this organisation waits. */
export async function hasUnhashedOf(db: Connection, org_id: string): Promise<boolean> {
  return await db.row(waitingOfSql, { org_id }) !== undefined;
}

/** Developers of one chunk. */
const CHUNK = 256;

const unhashedSql = statement<{ from: string }>()((db, p, dialect) => {
  const query = db.selectFrom("developers").select(["org_id", "id", "document", "secrets"])
    .where("sso_key_hash", "is", null).where("secrets", "is not", null)
    .where("org_id", ">=", p.from).orderBy("org_id").orderBy("id").limit(sql.lit(CHUNK));
  // Whom somebody else holds is left to the next chunk: approvals must not wait for this, nor this for them.
  return dialect === "postgres" ? query.forUpdate().skipLocked() : query;
});

/** Developers that wait, from this organisation on, held until the transaction ends. */
export function lockUnhashed(tx: Tx, from: string) {
  return tx.rows(unhashedSql, { from });
}

const holderSql = statement<{ org_id: string; hash: string }>()((db, p) =>
  db.selectFrom("developers").select("id").where("org_id", "=", p.org_id)
    .where("sso_key_hash", "=", p.hash).where("sso_key_hash", "<>", sql.lit(""))
    .orderBy("sso_key_shared").limit(sql.lit(1))
);

/** The id of the developer with the sso_key of this hash, or undefined. */
export async function findSsoKeyHolder(
  db: Connection,
  org_id: string,
  hash: string,
): Promise<string | undefined> {
  return (await db.row(holderSql, { org_id, hash }))?.id;
}

const setSql = statement<Place & { hash: string; shared: string }>()((db, p) =>
  db.updateTable("developers").set({ sso_key_hash: p.hash, sso_key_shared: p.shared })
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Sets by which hash a developer that this transaction holds is found. Fails where another has it and it is not shared. */
export async function setSsoKeyHash(
  tx: Tx,
  { org_id, id }: Place,
  { hash, shared }: { hash: string; shared: boolean },
): Promise<void> {
  await tx.change(setSql, { org_id, id, hash, shared: shared ? id : "" });
}

/** Developers who share an sso_key are counted up to here. */
const COUNTED = 1000;

const sharedSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("developers").select(["org_id", "id"]).where("sso_key_shared", "<>", sql.lit(""))
    .orderBy("org_id").orderBy("id").limit(sql.lit(COUNTED))
);

/** Developers of all organisations whose sso_key another one has, who is found by it; COUNTED at most. */
export function sharedSsoKeysOfAll(db: Connection): Promise<Place[]> {
  return db.rows(sharedSql, {});
}

const sharedOfSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("developers").select(["org_id", "id"]).where("org_id", "=", p.org_id)
    .where("sso_key_shared", "<>", sql.lit("")).orderBy("id").limit(sql.lit(COUNTED))
);

/** The same of one organisation. */
export function sharedSsoKeysOf(db: Connection, org_id: string): Promise<Place[]> {
  return db.rows(sharedOfSql, { org_id });
}
