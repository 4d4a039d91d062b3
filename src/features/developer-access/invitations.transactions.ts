import type { Actor } from "../../changes/audit.ts";
import { recordAlone } from "../../changes/record-change.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction } from "../../storage/storage.ts";
import { findDeveloperByEmail } from "../developers/developer-accounts.store.ts";
import {
  insertInvitation,
  type InvitationRow,
  invitationsOf,
  removeInvitation,
  removeInvitationById,
} from "./developer-invitations.store.ts";

/** Invitations of an organisation that count at once. */
const MOST_INVITATIONS = 1000;

/**
 * Keeps an invitation, in the place of the one that the address had. Throws `email_taken` where a
 * developer has it, `too_many_invitations`.
 */
export const keepInvitation = defineTransaction(
  "developer-access.invite",
  async (tx, input: { actor: Actor; invitation: InvitationRow }): Promise<null> => {
    const { actor, invitation } = input;
    const { org_id, now } = actor;
    const { email_key, id, expires_at } = invitation;
    if (await findDeveloperByEmail(tx, { org_id, email_key })) throw new Failure("email_taken");
    await removeInvitation(tx, { org_id, email_key });
    const open = await invitationsOf(tx, { org_id, now: toTimestamp(now) });
    if (open.length >= MOST_INVITATIONS) throw new Failure("too_many_invitations");
    await insertInvitation(tx, invitation);
    await recordAlone(tx, actor, {
      action: "developer_invitation.created",
      object_id: id,
      detail: { expires_at },
    });
    return null;
  },
);

/** Withdraws an invitation. Throws `not_found`. */
export const withdrawInvitation = defineTransaction(
  "developer-access.withdraw-invitation",
  async (tx, input: { actor: Actor; id: string }): Promise<null> => {
    const { actor, id } = input;
    if (!await removeInvitationById(tx, { org_id: actor.org_id, id })) {
      throw new Failure("not_found");
    }
    await recordAlone(tx, actor, { action: "developer_invitation.withdrawn", object_id: id });
    return null;
  },
  { withoutRoom: true },
);
