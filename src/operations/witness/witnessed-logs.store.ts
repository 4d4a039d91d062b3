import { rowOf } from "../../storage/rows.ts";
import type { StoredRow } from "../../storage/schema.ts";
import { all, changed, lockOne, one, send } from "../../storage/statement-functions.ts";
import { finds, removes, updates } from "../../storage/table-statements.ts";

/** A log of which this desk is a witness, as it is stored. */
type WitnessedLog = StoredRow<"witnessed_logs">;

const COLUMNS = ["origin", "keys", "size", "root", "at", "added_at"] as const;

/** Every log, by what it calls itself. */
export const listWitnessedLogs = all((db) =>
  db.selectFrom("witnessed_logs").select(COLUMNS).orderBy("origin")
);

/** A log, or undefined. */
export const findWitnessedLog = one(finds("witnessed_logs"));

/** A log, held until the transaction ends, or undefined. */
export const lockWitnessedLog = lockOne(finds("witnessed_logs"));

/** Adds a log; false: it is there. */
export const insertWitnessedLog = changed((db, row: WitnessedLog) =>
  db.insertInto("witnessed_logs").values(rowOf("witnessed_logs", row))
    .onConflict((conflict) => conflict.doNothing())
);

/** Writes who may sign the heads of a log that the transaction holds. */
export const saveKeys = send(updates("witnessed_logs", "keys"));

/** Writes the longest head of a log that the transaction holds. */
export const saveHead = send(updates("witnessed_logs", "size", "root", "at"));

/** Removes a log; false: there is none. */
export const removeWitnessedLog = changed(removes("witnessed_logs"));
