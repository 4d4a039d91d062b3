import { sql } from "kysely";
import { all, change, changed, numberOf, one, send } from "../../storage/statement-functions.ts";
import { inserts, removes } from "../../storage/table-statements.ts";

type OfAddress = { org_id: string; email_key: string };

/** The invitation of an address that counts; or undefined. */
export const findInvitation = one((db, p: OfAddress & { since: string }) =>
  db.selectFrom("developer_invitations").select(["id", "email"]).where("org_id", "=", p.org_id)
    .where("email_key", "=", p.email_key).where("created_at", ">", p.since)
    .where("ended_as", "is", null)
);

/** An invitation by its id, whatever became of it. */
export const findInvitationById = one((db, p: { org_id: string; id: string }) =>
  db.selectFrom("developer_invitations").select(["email", "created_at", "ended_as"])
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Takes away the invitation of an address, if there is one. */
export const removeInvitation = send(removes("developer_invitations", "org_id", "email_key"));

/** Adds an invitation; the address has none. */
export const insertInvitation = send(inserts("developer_invitations"));

/** Notes that anyone who was invited has signed up. */
export const useInvitation = change((db, p: OfAddress & { now: string }) =>
  db.updateTable("developer_invitations").set({ ended_as: sql.lit("used"), ended_at: p.now })
    .where("org_id", "=", p.org_id).where("email_key", "=", p.email_key)
    .where("ended_as", "is", null)
);

/** Withdraws an invitation that counts. False where there is none. */
export const withdrawInvitationById = changed((
  db,
  p: { org_id: string; id: string; now: string },
) =>
  db.updateTable("developer_invitations").set({ ended_as: sql.lit("withdrawn"), ended_at: p.now })
    .where("org_id", "=", p.org_id).where("id", "=", p.id).where("ended_as", "is", null)
);

/** How many invitations count. */
export const countInvitations = numberOf((db, p: { org_id: string; since: string }) =>
  db.selectFrom("developer_invitations").select(sql<number>`count(*)`.as("n"))
    .where("org_id", "=", p.org_id).where("created_at", ">", p.since)
    .where("ended_as", "is", null)
);

/** All invitations that are kept, newest first, at most 1,000. */
export const invitationsOf = all((db, p: { org_id: string }) =>
  db.selectFrom("developer_invitations").select(["id", "email", "invited_by"])
    .select(["created_at", "ended_as"]).where("org_id", "=", p.org_id)
    .orderBy("created_at", "desc").orderBy("id", "desc").limit(sql.lit(1000))
);
