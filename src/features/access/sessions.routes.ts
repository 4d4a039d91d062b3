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
import { SESSION_MS } from "./session.ts";
import * as contract from "./sessions.contract.ts";
import * as service from "./sessions.service.ts";
import type { WithTokenUses } from "./token-uses.ts";

const bind = bindFor<RequestContext & WithTokenUses>();

/** Signing in and out, and who calls. */
export const sessionRoutes = [
  bind(contract.signIn, async (ctx, call) => {
    const { headers, body } = call;
    // Else another site could sign its visitor in as somebody of its choice.
    requireSameOrigin(headers, ctx.settings.publicUrl);
    const isSecure = isSecureCall(ctx, call);
    const { session, secret } = await service.start(ctx, body, {
      counted: ctx.clientAddresses.of(call),
      exact: ctx.clientAddresses.exactly(call),
      userAgent: headers.get("user-agent"),
      before: sessionSecretOf(headers, isSecure),
    });
    return new Answer(session, { "set-cookie": sessionCookie(secret, SESSION_MS, isSecure) });
  }),
  bind(contract.getSession, (ctx) => service.get(ctx)),
  bind(contract.signOut, async (ctx, call) => {
    await service.end(ctx);
    return new Answer({ signed_out: true as const }, signedOut(ctx, call));
  }),
  bind(contract.listSessions, (ctx) => service.list(ctx)),
  bind(contract.endSession, async (ctx, call) => {
    const isOwn = await service.endOne(ctx, call.params.id);
    return new Answer({ ended: 1 }, isOwn ? signedOut(ctx, call) : {});
  }),
  bind(contract.endSessions, async (ctx, call) => {
    const ended = await service.endAll(ctx);
    return new Answer({ ended }, signedOut(ctx, call));
  }),
  bind(contract.getCaller, (ctx) => service.whoCalls(ctx)),
];

/** The headers with which a browser forgets its session. */
function signedOut(ctx: RequestContext, call: AnyCall): Record<string, string> {
  return endedSessionHeaders(isSecureCall(ctx, call));
}
