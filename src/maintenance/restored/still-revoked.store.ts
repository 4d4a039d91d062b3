import { sql } from "kysely";
import { atMost, send, values } from "../../storage/statement-functions.ts";

/** The position of a walk through all organisations: behind this row. */
export interface Behind {
  org_id: string;
  id: string;
}

/** Keys of all organisations that are not revoked, behind a place. */
export const keysInForce = atMost((db, p: { org_id: string; id: string }, limit) =>
  db.selectFrom("credentials").select(["org_id", "key_id as id", "mask as name"])
    .where(sql<boolean>`(org_id, key_id) > (${p.org_id}, ${p.id})`)
    .where("state", "<>", sql.lit("revoked"))
    .orderBy("org_id").orderBy("key_id").limit(limit)
);

/** The access tokens in force. */
export const tokensInForce = atMost((db, p: { org_id: string; id: string }, limit) =>
  db.selectFrom("access_tokens").select(["org_id", "id", "name"])
    .where(sql<boolean>`(org_id, id) > (${p.org_id}, ${p.id})`)
    .where("revoked_at", "is", null)
    .orderBy("org_id").orderBy("id").limit(limit)
);

/** The people in force. */
export const peopleInForce = atMost((db, p: { org_id: string; id: string }, limit) =>
  db.selectFrom("users").select(["org_id", "id", "name"])
    .where(sql<boolean>`(org_id, id) > (${p.org_id}, ${p.id})`)
    .where("deactivated_at", "is", null)
    .orderBy("org_id").orderBy("id").limit(limit)
);

/** Every organisation. */
export const organisationIds = values((db) =>
  db.selectFrom("organisations").select("id").orderBy("id")
);

type InOrg = { org_id: string };

/**
 * Ends the sessions of an organisation's people and developers, and the credentials that begin one.
 */
export const endSessions = [
  send((db, p: InOrg) => db.deleteFrom("sessions").where("org_id", "=", p.org_id)),
  send((db, p: InOrg) => db.deleteFrom("sign_in_codes").where("org_id", "=", p.org_id)),
  send((db, p: InOrg) => db.deleteFrom("person_invitations").where("org_id", "=", p.org_id)),
  send((db, p: InOrg) => db.deleteFrom("developer_sessions").where("org_id", "=", p.org_id)),
  send((db, p: InOrg) => db.deleteFrom("developer_codes").where("org_id", "=", p.org_id)),
  send((db, p: InOrg) => db.deleteFrom("developer_links").where("org_id", "=", p.org_id)),
  send((db, p: InOrg) => db.deleteFrom("sso_nonces").where("org_id", "=", p.org_id)),
] as const;
