import { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { bodyErrors } from "../../contract/endpoint.ts";
import { permissions } from "../../contract/permissions.ts";
import type { AnyCall } from "../../http/call.ts";
import { operation } from "../../http/operation.ts";
import {
  endedSessionHeaders,
  isSecureCall,
  requireSameOrigin,
  sessionCookie,
} from "../../http/session-cookie.ts";
import { Answer } from "../../kernel/answer.ts";
import { oneTimeCodeInput } from "./one-time-codes.contract.ts";
import { assertionInput } from "./passkeys.contract.ts";
import { caller, ownSession, session, signInPreview } from "./sessions.contract.ts";
import * as service from "./sessions.service.ts";
import { browserOf } from "./signing-browser.ts";
import type { WithTokenUses } from "./token-uses.ts";

const tag = "Sign-in";

/** Opens to every credential: asks for any permission at all. */
const anyPermission = permissions;

/** The body of the reference's example. */
export const signInExample = { code: "CODE-FROM-THE-LINK-THAT-THE-SERVER-PRINTED" };

/** A session begins. */
export const signIn = operation({
  id: "signIn",
  method: "POST",
  path: "/v1/session",
  tag,
  summary:
    "Sign a browser in with an access token, a sign-in link's code or a passkey; sets the session's cookie",
  description:
    "For the console. Later calls carry the cookie, and changes the token against CSRF beside it. A session by passkey expires after 12 hours without use and after 7 days; any other after 12 hours, and unused as the setting says. A person with one-time codes is answered `one_time_code_required` to an access token alone: a repeated call with `one_time_code` signs in, and nothing is kept between. Too many wrong tries are answered 429.",
  permission: "public",
  body: z.object({
    access_token: z.string().trim().min(1).max(4096).optional(),
    code: z.string().trim().min(1).max(128).optional(),
    passkey: assertionInput.optional(),
    one_time_code: oneTimeCodeInput.optional().meta({
      description:
        "Beside `access_token`, of a person with one-time codes: the app's six digits, or a recovery code.",
    }),
  }).refine(
    ({ one_time_code: _, ...ways }) =>
      Object.values(ways).filter((one) => one !== undefined).length === 1,
    { error: "expected access_token, code or passkey, and no two of them" },
  ).meta({ id: "SignInInput" }),
  answerHeaders: {
    "set-cookie":
      "The browser's session: `__Host-keydesk` over https, else `keydesk_session`; HttpOnly, SameSite=Strict.",
  },
  response: session,
  errors: [
    ...bodyErrors,
    "not_authorised",
    "access_denied",
    "csrf_refused",
    "sign_in_by_token_off",
    "one_time_code_required",
    "one_time_code_refused",
    "second_factor_required",
    "too_many_requests",
  ],
  example: signInExample,
  async serve(ctx: RequestContext & WithTokenUses, call) {
    const { headers, body } = call;
    // Else another site could sign its visitor in as a person of its choice.
    requireSameOrigin(headers, ctx.settings.publicUrl);
    const isSecure = isSecureCall(ctx, call);
    const { session, secret, lifeMs } = await service.start(ctx, body, browserOf(ctx, call));
    return new Answer(session, { "set-cookie": sessionCookie(secret, lifeMs, isSecure) });
  },
});

/** Whom a sign-in link would sign in. */
export const previewSignIn = operation({
  id: "previewSignIn",
  method: "POST",
  path: "/v1/session/preview",
  tag,
  summary: "Read whom a sign-in link's code signs in; it signs in as before",
  description:
    "For a page on which another person is signed in: it asks before it ends that session. An invalid code is not found, and counts as a wrong sign-in does.",
  permission: "public",
  body: z.object({ code: z.string().trim().min(1).max(128) }).meta({ id: "SignInPreviewInput" }),
  response: signInPreview,
  errors: [...bodyErrors, "not_found", "csrf_refused", "too_many_requests"],
  example: signInExample,
  serve(ctx: RequestContext & WithTokenUses, call) {
    requireSameOrigin(call.headers, ctx.settings.publicUrl);
    return service.preview(ctx, call.body.code, browserOf(ctx, call).counted);
  },
});

/** The session that the cookie represents. */
export const getSession = operation({
  id: "getSession",
  method: "GET",
  path: "/v1/session",
  tag,
  summary: "Read the signed-in person, and the token that changes by this session must carry",
  description: "Not found if the session is not signed in.",
  permission: anyPermission,
  withinTemporaryAccess: true,
  withinScope: true,
  answersSecrets: "always",
  response: session,
  errors: ["not_found"],
  serve: (ctx: RequestContext & WithTokenUses) => service.get(ctx),
});

const signedOut = {
  "set-cookie": "Takes the session's cookie away.",
  "clear-site-data": "Has the browser drop what it keeps of this site.",
};

/** The session ends. */
export const signOut = operation({
  id: "signOut",
  method: "DELETE",
  path: "/v1/session",
  tag,
  summary: "Sign out: the session is no longer valid",
  description: "The access token behind it stays good.",
  permission: anyPermission,
  withinTemporaryAccess: true,
  withinScope: true,
  answerHeaders: signedOut,
  response: z.strictObject({ signed_out: z.literal(true) }),
  errors: ["not_found"],
  async serve(ctx: RequestContext & WithTokenUses, call) {
    await service.end(ctx);
    return new Answer({ signed_out: true as const }, afterSignOut(ctx, call));
  },
});

/** Lists the caller's sessions. */
export const listSessions = operation({
  id: "listSessions",
  method: "GET",
  path: "/v1/sessions",
  tag,
  summary: "List the caller's own sessions, newest first; at most 20",
  description:
    "Each with the browser in words, when it began and was last used, and whether it is this one. An access token that calls by itself has none: 404 `not_found`.",
  permission: anyPermission,
  withinScope: true,
  response: z.strictObject({ data: z.array(ownSession) }).meta({ id: "OwnSessionList" }),
  errors: ["not_found"],
  serve: (ctx: RequestContext & WithTokenUses) => service.list(ctx),
});

const ended = z.strictObject({ ended: z.int() }).meta({ id: "SessionsEnded" });

/** One session of one's own. */
export const endSession = operation({
  id: "endSession",
  method: "DELETE",
  path: "/v1/sessions/{id}",
  tag,
  summary: "End one of the caller's own sessions; where it is this one, that is signing out",
  description:
    "It is invalid within a second. A session must have signed in within the last five minutes.",
  permission: anyPermission,
  withinScope: true,
  needsFreshSignIn: true,
  answerHeaders: signedOut,
  response: ended,
  errors: ["not_found"],
  async serve(ctx: RequestContext & WithTokenUses, call) {
    const isOwn = await service.endOne(ctx, call.params.id);
    return new Answer({ ended: 1 }, isOwn ? afterSignOut(ctx, call) : {});
  },
});

/** All of them. */
export const endSessions = operation({
  id: "endSessions",
  method: "DELETE",
  path: "/v1/sessions",
  tag,
  summary: "End all sessions of the caller, this one too: sign out everywhere",
  description:
    "Access tokens stay good. A session must have signed in within the last five minutes.",
  permission: anyPermission,
  withinScope: true,
  needsFreshSignIn: true,
  answerHeaders: signedOut,
  response: ended,
  errors: ["not_found"],
  async serve(ctx: RequestContext & WithTokenUses, call) {
    const ended = await service.endAll(ctx);
    return new Answer({ ended }, afterSignOut(ctx, call));
  },
});

/** Tells the caller who they are. */
export const getCaller = operation({
  id: "getCaller",
  method: "GET",
  path: "/v1/me",
  tag,
  summary: "Read the caller: person, organisation, access token and its permissions",
  description: "For an access token or a session alike.",
  permission: anyPermission,
  withinTemporaryAccess: true,
  withinScope: true,
  response: caller,
  errors: [],
  serve: (ctx: RequestContext & WithTokenUses) => service.whoCalls(ctx),
});

/** The headers with which a browser forgets its session. */
function afterSignOut(ctx: RequestContext, call: AnyCall): Record<string, string> {
  return endedSessionHeaders(isSecureCall(ctx, call));
}
