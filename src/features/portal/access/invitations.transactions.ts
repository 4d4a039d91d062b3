import type { Actor } from "../../../changes/audit.ts";
import { addToOutbox } from "../../../changes/outbox.ts";
import { recordAlone } from "../../../changes/record-change.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { defineTransaction } from "../../../storage/storage.ts";
import { findDeveloperByEmail } from "../../developers/developer-accounts.store.ts";
import {
  countInvitations,
  insertInvitation,
  removeInvitation,
  withdrawInvitationById,
} from "../../developers/developer-invitations.store.ts";
import {
  invitationEnd,
  type InvitationRow,
  INVITED,
  invitedSince,
} from "../../developers/invitation.ts";

/** Invitations of an organisation that count at once. */
const MOST_INVITATIONS = 1000;

/**
 * Keeps an invitation, in the place of the one that the address had, and has it mailed. Throws
 * `email_taken` where a developer has it, `too_many_invitations`.
 */
export const keepInvitation = defineTransaction(
  "developer-access.invite",
  async (tx, input: { actor: Actor; invitation: InvitationRow }): Promise<null> => {
    const { actor, invitation } = input;
    const { org_id, now } = actor;
    const { email_key, id } = invitation;
    if (await findDeveloperByEmail(tx, { org_id, email_key })) throw new Failure("email_taken");
    await removeInvitation(tx, { org_id, email_key });
    const open = await countInvitations(tx, { org_id, since: invitedSince(now) });
    if (open >= MOST_INVITATIONS) throw new Failure("too_many_invitations");
    await insertInvitation(tx, invitation);
    await recordAlone(tx, actor, {
      action: "developer_invitation.created",
      object_id: id,
      detail: { expires_at: invitationEnd(invitation) },
    });
    await addToOutbox(tx, actor, { topic: INVITED, object_id: id });
    return null;
  },
);

/** Withdraws an invitation that counts. Throws `not_found`. */
export const withdrawInvitation = defineTransaction(
  "developer-access.withdraw-invitation",
  async (tx, input: { actor: Actor; id: string }): Promise<null> => {
    const { actor, id } = input;
    const { org_id, now } = actor;
    if (!await withdrawInvitationById(tx, { org_id, id, now: toTimestamp(now) })) {
      throw new Failure("not_found");
    }
    await recordAlone(tx, actor, { action: "developer_invitation.withdrawn", object_id: id });
    return null;
  },
  { withoutRoom: true },
);
