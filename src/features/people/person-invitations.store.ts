import type { StoredRow } from "../../storage/schema.ts";
import { change, changed, one, values } from "../../storage/statement-functions.ts";
import { inserts, removes } from "../../storage/table-statements.ts";

/** An invitation as it is stored. */
export type PersonInvitationRow = StoredRow<"person_invitations">;

const COLUMNS = ["org_id", "id", "hash", "link", "invited_by", "created_at", "expires_at"] as const;

/** The invitation that a link's text belongs to, by its hash, while it counts. */
export const findInvitationByHash = one((db, p: { hash: string; now: string }) =>
  db.selectFrom("person_invitations").select(COLUMNS)
    .where("hash", "=", p.hash).where("expires_at", ">", p.now)
);

/** The invitation of a person, while it counts. */
export const findInvitationOf = one((db, p: { org_id: string; id: string; now: string }) =>
  db.selectFrom("person_invitations").select(COLUMNS)
    .where("org_id", "=", p.org_id).where("id", "=", p.id).where("expires_at", ">", p.now)
);

/** The people whom a person has invited, while that counts. */
export const invitationsBy = values((
  db,
  p: { org_id: string; invited_by: string; now: string },
) =>
  db.selectFrom("person_invitations").select("id")
    .where("org_id", "=", p.org_id).where("invited_by", "=", p.invited_by)
    .where("expires_at", ">", p.now).orderBy("id")
);

/** Adds the invitation of a person who has none. */
export const insertPersonInvitation = change(inserts("person_invitations"));

/** Takes the invitation of a person away, over or not. False where there was none. */
export const removePersonInvitation = changed(removes("person_invitations"));

/** Uses an invitation up. False for anyone who comes second, or too late. */
export const burnInvitation = changed((db, p: { hash: string; now: string }) =>
  db.deleteFrom("person_invitations").where("hash", "=", p.hash).where("expires_at", ">", p.now)
);
