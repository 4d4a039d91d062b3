import type { RequestContext } from "../../calls/context.ts";
import { bind } from "../../http/routes.ts";
import { isSecureCall, requireSameOrigin, sessionCookie } from "../../http/session-cookie.ts";
import { Answer } from "../../kernel/answer.ts";
import { browserOf } from "../access/signing-browser.ts";
import * as contract from "./invitations.contract.ts";
import * as service from "./invitations.service.ts";

/** Invitations of people, and how they get in. */
export const personInvitationRoutes = [
  bind(
    contract.invitePerson,
    (ctx, { body, idempotency }) => service.invite(ctx, body, idempotency),
  ),
  bind(
    contract.invitePersonAgain,
    (ctx, { params, idempotency }) => service.again(ctx, params.id, idempotency),
  ),
  bind(contract.withdrawPersonInvitation, async (ctx, { params }) => ({
    withdrawn: true as const,
    deactivated: await service.withdraw(ctx, params.id),
  })),
  bind(contract.previewPersonInvitation, (ctx, call) => {
    requireSameOrigin(call.headers, ctx.settings.publicUrl);
    return service.preview(ctx, call.body.invitation, ctx.clientAddresses.of(call));
  }),
  bind(contract.acceptPersonInvitation, async (ctx: RequestContext, call) => {
    // Else another site could sign its visitor in as somebody of its choice.
    requireSameOrigin(call.headers, ctx.settings.publicUrl);
    const accepted = await service.accept(ctx, call.body, browserOf(ctx, call));
    const { session, secret, lifeMs, credential } = accepted;
    const cookie = sessionCookie(secret, lifeMs, isSecureCall(ctx, call));
    return new Answer({ session, credential }, { "set-cookie": cookie });
  }),
  bind(contract.listSignIns, (ctx, { query }) => service.listSignInsOf(ctx, query.ids)),
];
