import { all, change, changed, numberOf, one } from "../../storage/statement-functions.ts";
import { finds, inserts, removes } from "../../storage/table-statements.ts";

/** The account of this handle, which names its organisation; or undefined. */
export const findDeveloperIdentity = one(finds("developer_identities", { by: ["handle"] }));

/** A developer's accounts, the oldest first. */
export const developerIdentitiesOf = all(
  finds("developer_identities", { by: ["org_id", "developer_id"], order: ["id"] }),
);

/** Links an account. False where it is taken already. */
export const insertDeveloperIdentity = changed(
  inserts("developer_identities", { but: ["last_used_at"], unless: ["handle"] }),
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
export const removeDeveloperIdentity = changed(
  removes("developer_identities", "org_id", "id", "developer_id"),
);

type AtProvider = { org_id: string; provider_id: string };

/** How many accounts at a provider sign developers in. */
export const countDeveloperIdentitiesAt = numberOf((db, p: AtProvider) =>
  db.selectFrom("developer_identities").select((eb) => eb.fn.countAll<number>().as("n"))
    .where("org_id", "=", p.org_id).where("provider_id", "=", p.provider_id)
);

/** Takes all accounts at a provider away. */
export const removeDeveloperIdentitiesAt = change(
  removes("developer_identities", "org_id", "provider_id"),
);
