import { z } from "zod";
import { changeBy } from "../../../calls/change-by.ts";
import type { RequestContext } from "../../../calls/context.ts";
import { actorOf } from "../../../calls/principal.ts";
import { bodyErrors } from "../../../contract/endpoint.ts";
import { text, timestamp } from "../../../contract/values.ts";
import { operation } from "../../../http/operation.ts";
import { newId } from "../../../kernel/ids.ts";
import { invitationsOf } from "../../developers/developer-invitations.store.ts";
import { emailKey } from "../../developers/developer.ts";
import { requireUsableEmail } from "../../developers/email-address.ts";
import {
  invitationEnd,
  type InvitationRow,
  invitationState,
  invitationTimes,
} from "../../developers/invitation.ts";
import { keepInvitation, withdrawInvitation } from "./invitations.transactions.ts";

const tag = "Developer's pages";

/** An address that may sign up. */
const developerInvitation = z.strictObject({
  id: text,
  email: text,
  state: z.enum(["open", "used", "withdrawn", "expired"]).meta({
    description:
      "`open`: the owner of the address may sign up by it. `used`: they did. `withdrawn`, `expired`: it is invalid.",
  }),
  invited_by: text.meta({ description: "The person's id." }),
  date_created: timestamp,
  expires_at: timestamp,
}).meta({ id: "DeveloperInvitation" });

/** Lists invitations to sign up. */
export const listDeveloperInvitations = operation({
  id: "listDeveloperInvitations",
  method: "GET",
  path: "/v1/developer-invitations",
  tag,
  summary: "List the addresses that are invited to sign up, newest first; at most 1,000",
  description: "Each with what became of it, for 30 days.",
  permission: ["admin:read"],
  response: z.strictObject({ data: z.array(developerInvitation) })
    .meta({ id: "DeveloperInvitationList" }),
  errors: [],
  serve: async (ctx) => ({ data: await list(ctx) }),
});

/** One more. */
export const inviteDeveloper = operation({
  id: "inviteDeveloper",
  method: "POST",
  path: "/v1/developer-invitations",
  tag,
  summary: "Invite an address to sign up at the developer's pages, for 14 days",
  description:
    "Counts if `sign_up` is `invitation` or `domains`. If the organisation has a mail channel, the address is mailed the address of the pages; there they have a code mailed to this very address. Invited again, the days begin anew.",
  permission: ["admin"],
  body: z.object({ email: z.string().trim().min(1).max(320) })
    .meta({ id: "DeveloperInvitationInput" }),
  response: developerInvitation,
  errors: [...bodyErrors, "email_taken", "too_many_invitations"],
  example: { email: "invited@example.org" },
  async serve(ctx, { body: { email } }) {
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
    return serialize(invitation, now);
  },
});

/** One less. */
export const withdrawDeveloperInvitation = operation({
  id: "withdrawDeveloperInvitation",
  method: "DELETE",
  path: "/v1/developer-invitations/{id}",
  tag,
  summary: "Withdraw an invitation",
  description: "Developers who have signed up by it stay.",
  permission: ["admin"],
  response: z.strictObject({ withdrawn: z.literal(true) })
    .meta({ id: "DeveloperInvitationWithdrawn" }),
  errors: ["not_found"],
  async serve(ctx, { params }) {
    await withdraw(ctx, params.id);
    return { withdrawn: true as const };
  },
});

type View = z.output<typeof developerInvitation>;

/** The invitations of the caller's organisation, and what became of those that count no more. */
async function list(ctx: RequestContext): Promise<View[]> {
  const { storage, clock, principal: { org_id } } = ctx;
  const rows = await invitationsOf(storage.reader, { org_id });
  return rows.map((row) => serialize(row, clock.now()));
}

/** Withdraws one. Throws `not_found`. */
async function withdraw(ctx: RequestContext, id: string): Promise<void> {
  await changeBy(ctx, withdrawInvitation, { id });
}

function serialize(
  row: Pick<InvitationRow, "id" | "email" | "invited_by" | "created_at" | "ended_as">,
  now: number,
): View {
  const { id, email, invited_by, created_at: date_created } = row;
  const state = invitationState(row, now);
  return { id, email, state, invited_by, date_created, expires_at: invitationEnd(row) };
}
