import { rowOf } from "../../storage/rows.ts";
import type { StoredRow } from "../../storage/schema.ts";
import { change, changed, exists, one } from "../../storage/statement-functions.ts";
import { updates } from "../../storage/table-statements.ts";

/** From where a person has signed in, as it is stored. */
type PlaceRow = StoredRow<"sign_in_places">;

type PersonRef = { org_id: string; user_id: string };

/** Whether a person has signed in from anywhere before. */
export const hasPlaces = exists((db, p: PersonRef) =>
  db.selectFrom("sign_in_places").select("id")
    .where("org_id", "=", p.org_id).where("user_id", "=", p.user_id)
);

type Use = PersonRef & Pick<PlaceRow, "id" | "last_used_at" | "expires_at">;

/** Keeps a further sign-in from a place. False where it is a new one. */
export const usePlace = changed(updates("sign_in_places", "last_used_at", "expires_at"));

/** Adds a place. */
export const insertPlace = change((db, p: PlaceRow) =>
  db.insertInto("sign_in_places").values(rowOf("sign_in_places", p))
    .onConflict((conflict) => conflict.doNothing())
);

/** The place from which a person signed in for the first time at this moment; or undefined. */
export const findPlaceSince = one((db, p: PersonRef & { at: string }) =>
  db.selectFrom("sign_in_places").select(["browser", "address", "created_at"])
    .where("org_id", "=", p.org_id).where("user_id", "=", p.user_id)
    .where("created_at", "=", p.at)
);
