import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf } from "../../calls/principal.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { emailKey } from "../developers/developer.ts";
import { requireUsableEmail } from "../developers/email-address.ts";
import { type InvitationRow, invitationsOf } from "./developer-invitations.store.ts";
import type { developerInvitation } from "./invitations.contract.ts";
import { keepInvitation, withdrawInvitation } from "./invitations.transactions.ts";

type Shown = z.output<typeof developerInvitation>;

/** How long an invitation counts. */
const LIFE_MS = 14 * 24 * 60 * 60 * 1000;

/** The invitations of the caller's organisation that count. */
export async function list(ctx: RequestContext): Promise<Shown[]> {
  const { storage, clock, principal: { org_id } } = ctx;
  const rows = await invitationsOf(storage.reader, { org_id, now: toTimestamp(clock.now()) });
  return rows.map(show);
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
    created_at: toTimestamp(now),
    expires_at: toTimestamp(now + LIFE_MS),
  };
  await ctx.storage.commit(keepInvitation, { actor, invitation });
  return show(invitation);
}

/** Withdraws one. Throws `not_found`. */
export async function withdraw(ctx: RequestContext, id: string): Promise<void> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  await ctx.storage.commit(withdrawInvitation, { actor, id });
}

function show(
  { id, email, invited_by, created_at, expires_at }: Omit<InvitationRow, "org_id" | "email_key">,
): Shown {
  return { id, email, invited_by, date_created: created_at, expires_at };
}
