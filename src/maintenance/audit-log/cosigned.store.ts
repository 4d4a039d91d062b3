import type { StoredRow } from "../../storage/schema.ts";
import { one, send } from "../../storage/statement-functions.ts";
import { finds, puts } from "../../storage/table-statements.ts";

/** The newest checkpoint of a log that witnesses signed, with what they signed. */
export type CosignedCheckpoint = StoredRow<"trail_cosigned">;

/** The one of an organisation's log. */
export const findCosigned = one(finds("trail_cosigned"));

/** Keeps one in the place of the one before. */
export const keepCosigned = send(puts("trail_cosigned"));
