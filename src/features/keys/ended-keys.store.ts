import { columnsOf } from "../../storage/rows.ts";
import { all, change, changed, one, send } from "../../storage/statement-functions.ts";
import { finds, puts, removes } from "../../storage/table-statements.ts";

type Place = { org_id: string; key_id: string };

/** Keeps a key that was ended; the transaction has its row locked. */
export const insertEndedKey = send(puts("ended_keys"));

const COLUMNS = columnsOf("ended_keys", "org_id");

/** A key that was ended, or undefined. A lock on its row locks it too. */
export const findEndedKey = one(finds("ended_keys", { columns: COLUMNS }));

/** All keys of a developer that were ended and are kept, in the order of their ids. */
export const findEndedKeysOf = all((db, p: { org_id: string; developer_id: string }) =>
  db.selectFrom("ended_keys").select(COLUMNS).where("org_id", "=", p.org_id)
    .where("developer_id", "=", p.developer_id).orderBy("key_id")
);

/** Forgets that a key can be brought back. False where it is forgotten already. */
export const removeEndedKey = changed(removes("ended_keys"));

/**
 * Ties keys that were revoked before their developer was deleted, and could be restored by
 * themselves, to that developer: a new developer with the same id does not get them. `from` and
 * `to` are deletions, "" for none.
 */
export const tieEndedKeys = change((
  db,
  p: { org_id: string; developer_id: string; from: string; to: string },
) =>
  db.updateTable("ended_keys").set({ deletion: p.to }).where("org_id", "=", p.org_id)
    .where("developer_id", "=", p.developer_id).where("deletion", "=", p.from)
);
