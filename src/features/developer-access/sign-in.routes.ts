import type { RequestContext } from "../../calls/context.ts";
import type { AnyCall } from "../../http/call.ts";
import {
  endedSessionHeaders,
  isSecureCall,
  requireSameOrigin,
  sessionCookie,
  sessionSecretOf,
} from "../../http/session-cookie.ts";
import { bindFor } from "../../http/routes.ts";
import { Answer } from "../../kernel/answer.ts";
import type { AccountContext } from "../developer-accounts/developer-accounts.service.ts";
import * as contract from "./sign-in.contract.ts";
import * as service from "./sign-in.service.ts";

const bind = bindFor<AccountContext>();

/** How developers sign in at their own pages, and out. */
export const developerSignInRoutes = [
  bind(contract.askForSignInCode, async (ctx, call) => {
    requireOwnPage(ctx, call);
    const ticket = await service.askCode(ctx, call.body.email, visitorOf(ctx, call));
    return new Answer(ticket, {}, 202);
  }),
  bind(contract.signInDeveloper, async (ctx, call) => {
    // Else another site could sign its visitor in as somebody of its choice.
    requireOwnPage(ctx, call);
    const { session, secret, lifeMs } = await service.signIn(ctx, call.body, visitorOf(ctx, call));
    const cookie = sessionCookie(secret, lifeMs, isSecureCall(ctx, call), "developer");
    return new Answer(session, { "set-cookie": cookie });
  }),
  bind(contract.getDeveloperSession, (ctx, call) => service.get(ctx, secretOf(ctx, call))),
  bind(contract.signOutDeveloper, async (ctx, call) => {
    await service.end(ctx);
    return new Answer({ signed_out: true as const }, signedOut(ctx, call));
  }),
  bind(contract.askForProofCode, async (ctx) => new Answer(await service.askProof(ctx), {}, 202)),
  bind(
    contract.enterProofCode,
    (ctx, call) => service.prove(ctx, call.body, secretOf(ctx, call)),
  ),
  bind(contract.listMySessions, async (ctx) => ({ data: await service.list(ctx) })),
  bind(contract.endMySession, async (ctx, call) => {
    const isOwn = await service.endOne(ctx, call.params.id);
    return new Answer({ ended: 1 }, isOwn ? signedOut(ctx, call) : {});
  }),
  bind(contract.endMySessions, async (ctx, call) => {
    const ended = await service.endAll(ctx);
    return new Answer({ ended }, signedOut(ctx, call));
  }),
  bind(contract.createSignInLink, (ctx, { params }) => service.createLink(ctx, params.id)),
  bind(contract.createDeveloperView, (ctx, { params }) => service.createView(ctx, params.id)),
];

function requireOwnPage({ settings }: RequestContext, { headers }: AnyCall): void {
  requireSameOrigin(headers, settings.portalUrl || settings.publicUrl);
}

function visitorOf(ctx: RequestContext, call: AnyCall): service.Visitor {
  const before = secretOf(ctx, call);
  return {
    headers: call.headers,
    address: ctx.clientAddresses.of(call),
    ...before === undefined ? {} : { before },
  };
}

function secretOf(ctx: RequestContext, call: AnyCall): string | undefined {
  return sessionSecretOf(call.headers, isSecureCall(ctx, call), "developer");
}

/** The headers with which a browser forgets its session. */
function signedOut(ctx: RequestContext, call: AnyCall): Record<string, string> {
  return endedSessionHeaders(isSecureCall(ctx, call), "developer");
}
