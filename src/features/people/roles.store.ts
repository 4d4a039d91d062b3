import type { StoredRow } from "../../storage/schema.ts";
import { all, change, changed, numberOf, one } from "../../storage/statement-functions.ts";
import { finds, inserts, removes, updates } from "../../storage/table-statements.ts";
import { PERSON } from "./people.store.ts";

type Place = { org_id: string; id: string };

/** A role as it is stored. */
type RoleRow = StoredRow<"roles">;

/** A role of the organisation's own; or undefined. */
export const findRole = one(finds("roles"));

/** The organisation's own roles, the oldest first. */
export const rolesOf = all(finds("roles", { by: ["org_id"], order: ["id"] }));

/** Adds a role. */
export const insertRole = change(inserts("roles"));

/** Sets what is set of a role. */
export const updateRole = change(updates("roles", "terms", "updated_at"));

/** Removes a role. False where there is none. */
export const removeRole = changed(removes("roles"));

/** Everybody who has a role, those who left among them, the oldest first. */
export const peopleOfRole = all((db, p: { org_id: string; role: string }) =>
  db.selectFrom("users").select(PERSON).where("org_id", "=", p.org_id)
    .where("role", "is not", null).where("role", "=", p.role).orderBy("id")
);

/** How many people have a role who have not left. */
export const countPeopleOfRole = numberOf((db, p: { org_id: string; role: string }) =>
  db.selectFrom("users").select((eb) => eb.fn.countAll().as("n"))
    .where("org_id", "=", p.org_id).where("role", "is not", null).where("role", "=", p.role)
    .where("deactivated_at", "is", null)
);

/** The ids of the access tokens that are limited to a role, ended ones among them. */
export const tokensOfRole = all((db, p: { org_id: string; role: string }) =>
  db.selectFrom("access_tokens").select(["id", "revoked_at", "expires_at"])
    .where("org_id", "=", p.org_id)
    .where("scope_role", "is not", null).where("scope_role", "=", p.role).orderBy("id")
);
