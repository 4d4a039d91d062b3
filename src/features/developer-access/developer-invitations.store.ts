import { rowOf } from "../../storage/rows.ts";
import type { StoredRow } from "../../storage/schema.ts";
import { all, changed, one, send } from "../../storage/statement-functions.ts";

/** An invitation as it is stored. */
export type InvitationRow = StoredRow<"developer_invitations">;

type OfAddress = { org_id: string; email_key: string };

/** The invitation of an address that is not over; or undefined. */
export const findInvitation = one((db, p: OfAddress & { now: string }) =>
  db.selectFrom("developer_invitations").select(["id", "email"]).where("org_id", "=", p.org_id)
    .where("email_key", "=", p.email_key).where("expires_at", ">", p.now)
);

/** Takes away the invitation of an address, if there is one. */
export const removeInvitation = send((db, p: OfAddress) =>
  db.deleteFrom("developer_invitations").where("org_id", "=", p.org_id)
    .where("email_key", "=", p.email_key)
);

/** Adds an invitation; the address has none. */
export const insertInvitation = send((db, p: InvitationRow) =>
  db.insertInto("developer_invitations").values(rowOf("developer_invitations", p))
);

/** Withdraws an invitation. False where there is none. */
export const removeInvitationById = changed((db, p: { org_id: string; id: string }) =>
  db.deleteFrom("developer_invitations").where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** All invitations that are not over, newest first. */
export const invitationsOf = all((db, p: { org_id: string; now: string }) =>
  db.selectFrom("developer_invitations").select(["id", "email", "invited_by"])
    .select(["created_at", "expires_at"]).where("org_id", "=", p.org_id)
    .where("expires_at", ">", p.now).orderBy("created_at", "desc").orderBy("id", "desc")
);
