import { statement } from "../../storage/statement.ts";
import type { Connection, Tx } from "../../storage/storage.ts";
import type { EndedKeyRow } from "./ended-key.ts";

type Place = { org_id: string; key_id: string };

const insertSql = statement<
  & Place
  & { developer_id: string; deletion: string; ended_by: string; kept: string; expires_at: string }
>()((db, p) =>
  db.insertInto("ended_keys").values({
    org_id: p.org_id,
    key_id: p.key_id,
    developer_id: p.developer_id,
    deletion: p.deletion,
    ended_by: p.ended_by,
    kept: p.kept,
    expires_at: p.expires_at,
  }).onConflict((conflict) =>
    conflict.columns(["org_id", "key_id"]).doUpdateSet({
      developer_id: p.developer_id,
      deletion: p.deletion,
      ended_by: p.ended_by,
      kept: p.kept,
      expires_at: p.expires_at,
    })
  )
);

/** Keeps a key that was ended; the transaction holds its credential. */
export async function insertEndedKey(
  tx: Tx,
  row: EndedKeyRow & { org_id: string; kept: string },
): Promise<void> {
  await tx.send(insertSql, row);
}

const COLUMNS = [
  ...["key_id", "developer_id", "deletion", "ended_by", "kept", "expires_at"] as const,
];

const findSql = statement<Place>()((db, p) =>
  db.selectFrom("ended_keys").select(COLUMNS)
    .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
);

/** A key that was ended, or undefined. Whoever holds its credential holds it too. */
export async function findEndedKey(
  db: Connection,
  org_id: string,
  key_id: string,
): Promise<EndedKeyRow | undefined> {
  return await db.row(findSql, { org_id, key_id });
}

const ofDeveloperSql = statement<{ org_id: string; developer_id: string }>()((db, p) =>
  db.selectFrom("ended_keys").select(COLUMNS).where("org_id", "=", p.org_id)
    .where("developer_id", "=", p.developer_id).orderBy("key_id")
);

/** All keys of a developer that were ended and are kept, in the order of their ids. */
export async function findEndedKeysOf(
  db: Connection,
  org_id: string,
  developer_id: string,
): Promise<EndedKeyRow[]> {
  return await db.rows(ofDeveloperSql, { org_id, developer_id });
}

const removeSql = statement<Place>()((db, p) =>
  db.deleteFrom("ended_keys").where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
);

/** Forgets that a key can be brought back. False where it is forgotten already. */
export async function removeEndedKey(tx: Tx, org_id: string, key_id: string): Promise<boolean> {
  return await tx.change(removeSql, { org_id, key_id }) === 1;
}

const tieSql = statement<{ org_id: string; developer_id: string; from: string; to: string }>()(
  (db, p) =>
    db.updateTable("ended_keys").set({ deletion: p.to }).where("org_id", "=", p.org_id)
      .where("developer_id", "=", p.developer_id).where("deletion", "=", p.from),
);

/**
 * What was ended before its developer was deleted, and could come back by itself, waits for the developer from then
 * on: nobody who registers the id anew is given it. `from` and `to` are deletions, "" for none.
 */
export async function tieEndedKeys(
  tx: Tx,
  of: { org_id: string; developer_id: string; from: string; to: string },
): Promise<void> {
  await tx.change(tieSql, of);
}
