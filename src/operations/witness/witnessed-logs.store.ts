import { rowOf } from "../../storage/rows.ts";
import type { StoredRow } from "../../storage/schema.ts";
import { all, changed, lockOne, one, send } from "../../storage/statement-functions.ts";

/** A log of which this desk is a witness, as it is stored. */
type WitnessedLog = StoredRow<"witnessed_logs">;

const COLUMNS = ["origin", "keys", "size", "root", "at", "added_at"] as const;

/** Every log, by what it calls itself. */
export const listWitnessedLogs = all((db) =>
  db.selectFrom("witnessed_logs").select(COLUMNS).orderBy("origin")
);

/** A log, or undefined. */
export const findWitnessedLog = one((db, p: { origin: string }) =>
  db.selectFrom("witnessed_logs").select(COLUMNS).where("origin", "=", p.origin)
);

/** A log, held until the transaction ends, or undefined. */
export const lockWitnessedLog = lockOne((db, p: { origin: string }) =>
  db.selectFrom("witnessed_logs").select(COLUMNS).where("origin", "=", p.origin)
);

/** Adds a log; false: it is there. */
export const insertWitnessedLog = changed((db, row: WitnessedLog) =>
  db.insertInto("witnessed_logs").values(rowOf("witnessed_logs", row))
    .onConflict((conflict) => conflict.doNothing())
);

/** Writes who may sign the heads of a log that the transaction holds. */
export const saveKeys = send((db, p: { origin: string; keys: string }) =>
  db.updateTable("witnessed_logs").set({ keys: p.keys }).where("origin", "=", p.origin)
);

/** Writes the longest head of a log that the transaction holds. */
export const saveHead = send((
  db,
  p: { origin: string; size: number; root: string; at: string },
) =>
  db.updateTable("witnessed_logs").set({ size: p.size, root: p.root, at: p.at })
    .where("origin", "=", p.origin)
);

/** Removes a log; false: there is none. */
export const removeWitnessedLog = changed((db, p: { origin: string }) =>
  db.deleteFrom("witnessed_logs").where("origin", "=", p.origin)
);
