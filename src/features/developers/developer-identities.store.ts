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

/** The developers' sessions that began with accounts at a provider, open or over. */
export const developerSessionsBegunAt = all((db, p: AtProvider) =>
  db.selectFrom("developer_identities as i")
    .innerJoin(
      "developer_sessions as s",
      (join) =>
        join.onRef("s.org_id", "=", "i.org_id").onRef("s.developer_id", "=", "i.developer_id")
          .onRef("s.identity_id", "=", "i.id"),
    )
    .select(["s.id", "s.developer_id"])
    .where("i.org_id", "=", p.org_id).where("i.provider_id", "=", p.provider_id)
);

/** The developers' sessions of a provider's own session; they name their organisation. */
export const developerSessionsAtProvider = all((db, p: { provider_session: string }) =>
  db.selectFrom("developer_sessions").select(["org_id", "id", "developer_id", "identity_id"])
    .where("provider_session", "=", p.provider_session)
);

/** The sessions of a developer that began with one of their accounts. */
export const developerSessionsOfIdentity = all((
  db,
  p: { org_id: string; developer_id: string; identity_id: string },
) =>
  db.selectFrom("developer_sessions").select(["id", "developer_id", "provider_session"])
    .where("org_id", "=", p.org_id).where("developer_id", "=", p.developer_id)
    .where("identity_id", "=", p.identity_id)
);

/** Ends a session of a developer. False where there is none. */
export const removeDeveloperSession = changed((
  db,
  p: { org_id: string; developer_id: string; id: string },
) =>
  db.deleteFrom("developer_sessions").where("org_id", "=", p.org_id)
    .where("developer_id", "=", p.developer_id).where("id", "=", p.id)
);
