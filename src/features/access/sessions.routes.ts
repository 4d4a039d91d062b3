import type { RequestContext } from "../../calls/context.ts";
import type { AnyCall } from "../../http/call.ts";
import {
  endedSessionHeaders,
  isSecureCall,
  requireSameOrigin,
  sessionCookie,
} from "../../http/session-cookie.ts";
import { bindFor } from "../../http/routes.ts";
import { Answer } from "../../kernel/answer.ts";
import * as contract from "./sessions.contract.ts";
import { browserOf } from "./signing-browser.ts";
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
    const { session, secret, lifeMs } = await service.start(ctx, body, browserOf(ctx, call));
    return new Answer(session, { "set-cookie": sessionCookie(secret, lifeMs, isSecure) });
  }),
  bind(contract.previewSignIn, (ctx, call) => {
    requireSameOrigin(call.headers, ctx.settings.publicUrl);
    return service.preview(ctx, call.body.code, browserOf(ctx, call).counted);
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
