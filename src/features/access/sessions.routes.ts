import type { RequestContext } from "../../calls/context.ts";
import { requireOwnPage } from "../../http/own-page.ts";
import { bindFor } from "../../http/routes.ts";
import { endedSessionCookie, isSecureCall, sessionCookie } from "../../http/session-cookie.ts";
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
    const { publicUrl } = ctx.settings;
    // Else another site could sign its visitor in as somebody of its choice.
    requireOwnPage(headers, publicUrl);
    const { session, secret } = await service.start(ctx, body, {
      counted: ctx.clientAddresses.of(call),
      exact: ctx.clientAddresses.exactly(call),
    });
    const cookie = sessionCookie(secret, SESSION_MS, isSecureCall(headers, publicUrl));
    return new Answer(session, { "set-cookie": cookie });
  }),
  bind(contract.getSession, (ctx) => service.get(ctx)),
  bind(contract.signOut, async (ctx, { headers }) => {
    await service.end(ctx);
    const cookie = endedSessionCookie(isSecureCall(headers, ctx.settings.publicUrl));
    return new Answer({ signed_out: true as const }, { "set-cookie": cookie });
  }),
  bind(contract.getCaller, (ctx) => service.whoCalls(ctx)),
];
