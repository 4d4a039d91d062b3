import type { Actor } from "../../changes/audit.ts";
import { recordAlone } from "../../changes/record-change.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import type { Tx } from "../../storage/storage.ts";
import { findUserName } from "./people.store.ts";
import {
  findInvitationOf,
  invitationsBy,
  removePersonInvitation,
} from "./person-invitations.store.ts";

/**
 * Takes the invitation of a person away, where one counts: anyone who has its link gets in by it no
 * more.
 */
export async function endInvitation(tx: Tx, actor: Actor, id: string): Promise<void> {
  const { org_id, now } = actor;
  const open = await findInvitationOf(tx, { org_id, id, now: toTimestamp(now) });
  if (!open || !await removePersonInvitation(tx, { org_id, id })) return;
  const name = await findUserName(tx, { org_id, id }) ?? "";
  await recordAlone(tx, actor, {
    action: "person.invitation_withdrawn",
    object_id: id,
    personal: { "/name": name },
  });
}

/** Ends all invitations by a person: they may have kept the links. */
export async function endInvitationsBy(tx: Tx, actor: Actor, invited_by: string): Promise<void> {
  const { org_id, now } = actor;
  const open = await invitationsBy(tx, { org_id, invited_by, now: toTimestamp(now) });
  for (const id of open) await endInvitation(tx, actor, id);
}
