import { rowOf } from "../../storage/rows.ts";
import type { StoredRow } from "../../storage/schema.ts";
import { IDENTITY, type IdentityRow } from "../access/identities.store.ts";
import { all, change, changed, numberOf, one } from "../../storage/statement-functions.ts";

/** An identity provider as it is stored. */
type ProviderRow = StoredRow<"identity_providers">;

type Place = { org_id: string; id: string };

const PROVIDER = ["org_id", "id", "terms", "created_at", "updated_at"] as const;

/** The provider of this id, which names its organisation; or undefined. */
export const findProviderById = one((db, p: { id: string }) =>
  db.selectFrom("identity_providers").select(PROVIDER).where("id", "=", p.id)
);

/** A provider of an organisation; or undefined. */
export const findProvider = one((db, p: Place) =>
  db.selectFrom("identity_providers").select(PROVIDER)
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** The providers of an organisation, the oldest first. */
export const providersOf = all((db, p: { org_id: string }) =>
  db.selectFrom("identity_providers").select(PROVIDER)
    .where("org_id", "=", p.org_id).orderBy("id")
);

/** Adds a provider. */
export const insertProvider = change((db, p: ProviderRow) =>
  db.insertInto("identity_providers").values(rowOf("identity_providers", p))
);

/** Sets what is set of a provider. False where there is none. */
export const updateProvider = changed((
  db,
  p: Place & { terms: string; updated_at: string },
) =>
  db.updateTable("identity_providers").set({ terms: p.terms, updated_at: p.updated_at })
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Removes a provider. False where there is none. */
export const removeProvider = changed((db, p: Place) =>
  db.deleteFrom("identity_providers").where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** The account of this handle, which names its organisation; or undefined. */
export const findIdentityByHandle = one((db, p: { handle: string }) =>
  db.selectFrom("person_identities").select(IDENTITY).where("handle", "=", p.handle)
);

/** Links an account. False where it is somebody's already. */
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
export const removeIdentity = changed((db, p: Place & { user_id: string }) =>
  db.deleteFrom("person_identities")
    .where("org_id", "=", p.org_id).where("id", "=", p.id).where("user_id", "=", p.user_id)
);

/** Takes all accounts at a provider away. */
export const removeIdentitiesAt = change((db, p: { org_id: string; provider_id: string }) =>
  db.deleteFrom("person_identities")
    .where("org_id", "=", p.org_id).where("provider_id", "=", p.provider_id)
);

type AtProvider = { org_id: string; provider_id: string };

/** Who signs in by a provider, and what they may do; deactivated people too, in no order. */
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
