import { columnsOf } from "../../storage/rows.ts";
import type { StoredRow } from "../../storage/schema.ts";
import { all } from "../../storage/statement-functions.ts";

/** An account at a provider as it is stored. */
export type IdentityRow = StoredRow<"person_identities">;

/** Its columns. */
export const IDENTITY = columnsOf("person_identities");

/** A person's accounts, the oldest first. */
export const identitiesOf = all((db, p: { org_id: string; user_id: string }) =>
  db.selectFrom("person_identities").select(IDENTITY)
    .where("org_id", "=", p.org_id).where("user_id", "=", p.user_id).orderBy("id")
);
