import type { RequestContext } from "../../../calls/context.ts";
import type { AnyCall } from "../../../http/call.ts";
import { bind } from "../../../http/routes.ts";
import {
  isSecureCall,
  requireSameOrigin,
  sessionCookie,
  sessionSecretOf,
} from "../../../http/session-cookie.ts";
import { Answer } from "../../../kernel/answer.ts";
import { browserOf } from "../signing-browser.ts";
import * as contract from "./provider-sign-in.contract.ts";
import { getProviderKeys } from "./identity-providers.contract.ts";
import type { Way } from "./errands.service.ts";
import * as service from "./provider-sign-in.service.ts";
import { AWAY_MS } from "./provider-ticket.ts";

/** Signing in by an identity provider, what it ends, and whose account there is whose. */
export const providerSignInRoutes = [
  bind(contract.beginProviderSignIn, async (ctx: RequestContext, call) => {
    requireSameOrigin(call.headers, ctx.settings.publicUrl);
    const { params, body } = call;
    return away(ctx, call, await service.beginSignIn(ctx, params.id, body, browserOf(ctx, call)));
  }),
  bind(contract.finishProviderSignIn, async (ctx: RequestContext, call) => {
    // Else another site could sign its visitor in as somebody of its choice.
    requireSameOrigin(call.headers, ctx.settings.publicUrl);
    const { params, body: { answer } } = call;
    const { session, secret, lifeMs } = await service.finishSignIn(ctx, params.id, answer, {
      ...browserOf(ctx, call),
      ticket: ticketOf(ctx, call),
    });
    return new Answer(session, {
      "set-cookie": sessionCookie(secret, lifeMs, isSecureCall(ctx, call)),
    });
  }),
  bind(contract.endByProvider, async (ctx: RequestContext, call) => {
    const address = ctx.clientAddresses.of(call);
    const { params, body } = call;
    return { ended: await service.endByProvider(ctx, params.id, body.logout_token, address) };
  }),
  bind(getProviderKeys, (ctx, { params }) => service.keysFor(ctx, params.id)),
  bind(contract.listIdentities, (ctx) => service.list(ctx)),
  bind(contract.beginIdentity, async (ctx: RequestContext, call) => {
    const host = call.headers.get("host");
    return away(ctx, call, await service.beginLink(ctx, call.params.id, host));
  }),
  bind(contract.createIdentity, (ctx: RequestContext, call) => {
    const from = { ticket: ticketOf(ctx, call), host: call.headers.get("host") };
    return service.finishLink(ctx, call.params.id, call.body.answer, from);
  }),
  bind(contract.deleteIdentity, async (ctx, { params }) => {
    await service.unlink(ctx, params.id);
    return { removed: true as const };
  }),
];

function ticketOf(ctx: RequestContext, call: AnyCall): string | undefined {
  return sessionSecretOf(call.headers, isSecureCall(ctx, call), "provider");
}

function away(ctx: RequestContext, call: AnyCall, { url, ticket }: Way) {
  const cookie = sessionCookie(ticket, AWAY_MS, isSecureCall(ctx, call), "provider");
  return new Answer({ url }, { "set-cookie": cookie });
}
