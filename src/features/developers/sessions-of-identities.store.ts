import { all, change, changed } from "../../storage/statement-functions.ts";
import { finds, removes } from "../../storage/table-statements.ts";

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
export const developerSessionsOfIdentity = all(
  finds("developer_sessions", {
    columns: ["id", "developer_id", "provider_session"],
    by: ["org_id", "developer_id", "identity_id"],
  }),
);

/** Forgets by what the provider of an ended session would be asked again. */
export const removeDeveloperGrantOf = change(removes("provider_grants"));

/** Ends a session of a developer. False where there is none. */
export const removeDeveloperSession = changed(
  removes("developer_sessions", "org_id", "developer_id", "id"),
);
