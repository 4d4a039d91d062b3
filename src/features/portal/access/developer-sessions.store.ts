import { all, change, changed, one, send } from "../../../storage/statement-functions.ts";
import { finds, inserts } from "../../../storage/table-statements.ts";

/** A session by the hash of its secret, which names its organisation. */
export const findDeveloperSession = one(finds("developer_sessions", { by: ["hash"] }));

/** Adds a session. */
export const insertDeveloperSession = send(inserts("developer_sessions"));

type Place = { org_id: string; developer_id: string };

/** A developer's sessions, newest first, those among them that are over and not yet removed. */
export const developerSessionsOf = all((db, p: Place) =>
  db.selectFrom("developer_sessions").select([
    "id",
    "opened_by",
    "opens",
    "token_id",
    "browser",
    "created_at",
    "last_used_at",
    "expires_at",
    "identity_id",
    "viewer",
  ]).where("org_id", "=", p.org_id).where("developer_id", "=", p.developer_id)
    .orderBy("created_at", "desc").orderBy("id", "desc")
);

/** A mailed code was entered in a session: it opens all from now on. */
export const proveDeveloperSession = changed((db, p: Place & { id: string; proved_at: string }) =>
  db.updateTable("developer_sessions").set({ opens: "all", proved_at: p.proved_at })
    .where("org_id", "=", p.org_id).where("developer_id", "=", p.developer_id)
    .where("id", "=", p.id)
);

/** Keeps when a session was used. */
export const noteDeveloperUse = change((
  db,
  p: { org_id: string; id: string; last_used_at: string },
) =>
  db.updateTable("developer_sessions").set({ last_used_at: p.last_used_at })
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
    .where((eb) => eb.or([eb("last_used_at", "is", null), eb("last_used_at", "<", p.last_used_at)]))
);
