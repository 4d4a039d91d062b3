import type { RequestContext } from "../../calls/context.ts";
import type { AnyCall } from "../../http/call.ts";
import { isSecureCall, sessionSecretOf } from "../../http/session-cookie.ts";
import type { SigningBrowser } from "./sessions.service.ts";

/** The browser that signs in by a call. */
export function browserOf(ctx: RequestContext, call: AnyCall): SigningBrowser {
  const { headers } = call;
  const isSecure = isSecureCall(ctx, call);
  return {
    counted: ctx.clientAddresses.of(call),
    exact: ctx.clientAddresses.exactly(call),
    userAgent: headers.get("user-agent"),
    before: sessionSecretOf(headers, isSecure),
    ticket: sessionSecretOf(headers, isSecure, "passkey"),
    host: headers.get("host"),
  };
}
