import { rowOf } from "../../../storage/rows.ts";
import type { StoredRow } from "../../../storage/schema.ts";
import { IDENTITY, type IdentityRow } from "../identities.store.ts";
import { all, change, changed, numberOf, one } from "../../../storage/statement-functions.ts";
import { finds, inserts, removes, updates } from "../../../storage/table-statements.ts";

/** An identity provider as it is stored. */
type ProviderRow = StoredRow<"identity_providers">;

type Place = { org_id: string; id: string };

/** The provider of this id, which names its organisation; or undefined. */
export const findProviderById = one(finds("identity_providers", { by: ["id"] }));

/** A provider of an organisation; or undefined. */
export const findProvider = one(finds("identity_providers"));

/** The providers of an organisation, the oldest first. */
export const providersOf = all(finds("identity_providers", { by: ["org_id"], order: ["id"] }));

/** Adds a provider. */
export const insertProvider = change(inserts("identity_providers"));

/** Sets what is set of a provider. False where there is none. */
export const updateProvider = changed(updates("identity_providers", "terms", "updated_at"));

/** Removes a provider. False where there is none. */
export const removeProvider = changed(removes("identity_providers"));

/** The account of this handle, which names its organisation; or undefined. */
export const findIdentityByHandle = one((db, p: { handle: string }) =>
  db.selectFrom("person_identities").select(IDENTITY).where("handle", "=", p.handle)
);

/** Links an account. False where it is taken already. */
export const insertIdentity = changed((db, p: Omit<IdentityRow, "last_used_at">) =>
  db.insertInto("person_identities").values(rowOf("person_identities", p, "last_used_at"))
    .onConflict((conflict) => conflict.column("handle").doNothing())
);

/** Keeps a sign-in by an account. False where there is none any more. */
export const useIdentity = changed((db, p: Place & { at: string }) =>
  db.updateTable("person_identities").set({ last_used_at: p.at })
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Takes an account of a person away. False where they have no such one. */
export const removeIdentity = changed(removes("person_identities", "org_id", "id", "user_id"));

/** Takes all accounts at a provider away. */
export const removeIdentitiesAt = change(removes("person_identities", "org_id", "provider_id"));

type AtProvider = { org_id: string; provider_id: string };

/**
 * The people who sign in by a provider, with their permissions; deactivated people too, in no
 * order.
 */
export const peopleAt = all((db, p: AtProvider) =>
  db.selectFrom("person_identities as i")
    .innerJoin(
      "users as u",
      (join) => join.onRef("u.org_id", "=", "i.org_id").onRef("u.id", "=", "i.user_id"),
    )
    .select(["u.id", "u.permissions", "u.deactivated_at"])
    .where("i.org_id", "=", p.org_id).where("i.provider_id", "=", p.provider_id)
);

/** The sessions that began with accounts at a provider, open or over. */
export const sessionsBegunAt = all((db, p: AtProvider) =>
  db.selectFrom("person_identities as i")
    .innerJoin("sessions as s", (join) =>
      join.onRef("s.org_id", "=", "i.org_id").onRef("s.user_id", "=", "i.user_id")
        .onRef("s.identity_id", "=", "i.id"))
    .select(["s.id", "s.user_id"])
    .where("i.org_id", "=", p.org_id).where("i.provider_id", "=", p.provider_id)
);

/** How many people sign in by a provider. */
export const countIdentitiesAt = numberOf((db, p: { org_id: string; provider_id: string }) =>
  db.selectFrom("person_identities").select((eb) => eb.fn.countAll<number>().as("n"))
    .where("org_id", "=", p.org_id).where("provider_id", "=", p.provider_id)
);
