import { rowOf } from "../../storage/rows.ts";
import { all, change, changed, numberOf, one } from "../../storage/statement-functions.ts";
import type { DeveloperIdentityRow } from "./developer-identity.ts";

const IDENTITY = [
  "org_id",
  "id",
  "developer_id",
  "provider_id",
  "handle",
  "link",
  "created_at",
  "last_used_at",
] as const;

/** The account of this handle, which names its organisation; or undefined. */
export const findDeveloperIdentity = one((db, p: { handle: string }) =>
  db.selectFrom("developer_identities").select(IDENTITY).where("handle", "=", p.handle)
);

/** A developer's accounts, the oldest first. */
export const developerIdentitiesOf = all((
  db,
  p: { org_id: string; developer_id: string },
) =>
  db.selectFrom("developer_identities").select(IDENTITY)
    .where("org_id", "=", p.org_id).where("developer_id", "=", p.developer_id).orderBy("id")
);

/** Links an account. False where it is somebody's already. */
export const insertDeveloperIdentity = changed((
  db,
  p: Omit<DeveloperIdentityRow, "last_used_at">,
) =>
  db.insertInto("developer_identities").values(rowOf("developer_identities", p, "last_used_at"))
    .onConflict((conflict) => conflict.column("handle").doNothing())
);

/** Keeps a sign-in by an account. False where there is none any more. */
export const useDeveloperIdentity = changed((
  db,
  p: { org_id: string; id: string; at: string },
) =>
  db.updateTable("developer_identities").set({ last_used_at: p.at })
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Takes an account of a developer away. False where they have no such one. */
export const removeDeveloperIdentity = changed((
  db,
  p: { org_id: string; developer_id: string; id: string },
) =>
  db.deleteFrom("developer_identities").where("org_id", "=", p.org_id)
    .where("id", "=", p.id).where("developer_id", "=", p.developer_id)
);

type AtProvider = { org_id: string; provider_id: string };

/** How many accounts at a provider sign developers in. */
export const countDeveloperIdentitiesAt = numberOf((db, p: AtProvider) =>
  db.selectFrom("developer_identities").select((eb) => eb.fn.countAll<number>().as("n"))
    .where("org_id", "=", p.org_id).where("provider_id", "=", p.provider_id)
);

/** Takes all accounts at a provider away. */
export const removeDeveloperIdentitiesAt = change((db, p: AtProvider) =>
  db.deleteFrom("developer_identities")
    .where("org_id", "=", p.org_id).where("provider_id", "=", p.provider_id)
);
