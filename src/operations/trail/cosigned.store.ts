import { rowOf } from "../../storage/rows.ts";
import type { StoredRow } from "../../storage/schema.ts";
import { one, send } from "../../storage/statement-functions.ts";

/** The newest checkpoint of a log that witnesses signed, with what they signed. */
export type CosignedCheckpoint = StoredRow<"trail_cosigned">;

/** The one of an organisation's log. */
export const findCosigned = one((db, p: { org_id: string }) =>
  db.selectFrom("trail_cosigned").select(["org_id", "size", "at", "note"])
    .where("org_id", "=", p.org_id)
);

/** Keeps one in the place of the one before. */
export const keepCosigned = send((db, p: CosignedCheckpoint) =>
  db.insertInto("trail_cosigned").values(rowOf("trail_cosigned", p)).onConflict((conflict) =>
    conflict.column("org_id").doUpdateSet({ size: p.size, at: p.at, note: p.note })
  )
);
