import { all, change, changed } from "../../storage/statement-functions.ts";

type AtProvider = { org_id: string; provider_id: string };

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

/** Forgets by what the provider of an ended session would be asked again. */
export const removeDeveloperGrantOf = change((db, p: { org_id: string; id: string }) =>
  db.deleteFrom("provider_grants").where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Ends a session of a developer. False where there is none. */
export const removeDeveloperSession = changed((
  db,
  p: { org_id: string; developer_id: string; id: string },
) =>
  db.deleteFrom("developer_sessions").where("org_id", "=", p.org_id)
    .where("developer_id", "=", p.developer_id).where("id", "=", p.id)
);
