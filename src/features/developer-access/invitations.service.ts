import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf } from "../../calls/principal.ts";
import { newId } from "../../kernel/ids.ts";
import { emailKey } from "../developers/developer.ts";
import { requireUsableEmail } from "../developers/email-address.ts";
import { invitationsOf } from "../developers/developer-invitations.store.ts";
import {
  invitationEnd,
  type InvitationRow,
  invitationState,
  invitationTimes,
} from "../developers/invitation.ts";
import type { developerInvitation } from "./invitations.contract.ts";
import { keepInvitation, withdrawInvitation } from "./invitations.transactions.ts";

type Shown = z.output<typeof developerInvitation>;

/** The invitations of the caller's organisation, and what became of those that count no more. */
export async function list(ctx: RequestContext): Promise<Shown[]> {
  const { storage, clock, principal: { org_id } } = ctx;
  const rows = await invitationsOf(storage.reader, { org_id });
  return rows.map((row) => show(row, clock.now()));
}

/** Invites an address. Throws `invalid_input`, `email_taken`, `too_many_invitations`. */
export async function invite(ctx: RequestContext, email: string): Promise<Shown> {
  requireUsableEmail(email);
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const { org_id, now, user_id } = actor;
  const invitation: InvitationRow = {
    org_id,
    id: newId(now),
    email,
    email_key: emailKey(email),
    invited_by: user_id,
    ...invitationTimes(now),
  };
  await ctx.storage.commit(keepInvitation, { actor, invitation });
  return show(invitation, now);
}

/** Withdraws one. Throws `not_found`. */
export async function withdraw(ctx: RequestContext, id: string): Promise<void> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  await ctx.storage.commit(withdrawInvitation, { actor, id });
}

function show(
  row: Pick<InvitationRow, "id" | "email" | "invited_by" | "created_at" | "ended_as">,
  now: number,
): Shown {
  const { id, email, invited_by, created_at: date_created } = row;
  const state = invitationState(row, now);
  return { id, email, state, invited_by, date_created, expires_at: invitationEnd(row) };
}
