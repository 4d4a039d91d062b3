import { rowOf } from "../../storage/rows.ts";
import { change, one, send } from "../../storage/statement-functions.ts";
import type { StoredRow } from "../../storage/schema.ts";

type Place = { org_id: string; id: string };

/** Keeps that what was mailed to an address of a developer came back. */
export const putVerifiedEmail = change((db, p: StoredRow<"verified_emails">) =>
  db.insertInto("verified_emails").values(rowOf("verified_emails", p))
    .onConflict((conflict) =>
      conflict.columns(["org_id", "id"]).doUpdateSet(rowOf("verified_emails", p, "org_id", "id"))
    )
);

/** The address of a developer that is known to reach them; it may not be theirs any more. */
export const findVerifiedEmail = one((db, p: Place) =>
  db.selectFrom("verified_emails").select(["address", "verified_at"])
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Forgets it. */
export const forgetVerifiedEmail = send((db, p: Place) =>
  db.deleteFrom("verified_emails").where("org_id", "=", p.org_id).where("id", "=", p.id)
);
