import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { permissions } from "../../contract/permissions.ts";
import { nullable } from "../../contract/v1.ts";
import { text, timestamp } from "../../contract/values.ts";
import { covers } from "./people.contract.ts";
import { oneTimeCodeInput } from "./one-time-codes.contract.ts";
import { assertionInput } from "./passkeys.contract.ts";
import { sessionOpeners } from "../../contract/session-openers.ts";

const tag = "Sign-in";

const named = z.strictObject({ id: text, name: text });

const who = {
  person: named,
  organisation: named,
  permissions: z.array(z.enum(permissions)),
  covers: nullable(covers).meta({ description: "Of what alone they see and decide; null: all." }),
};

/** A browser's session. */
export const session = z.strictObject({
  ...who,
  csrf_token: text,
  expires_at: timestamp,
  opened_by: z.enum(sessionOpeners).meta({ description: "What it began with." }),
  idle_minutes: z.int().meta({
    description: "After so many minutes without use it ends earlier; 0: it does not.",
  }),
  fresh: z.boolean().meta({
    description: "True: signed in within the last 5 minutes, as some changes ask for.",
  }),
  elevation: nullable(z.strictObject({ id: text, expires_at: timestamp })).meta({
    description: "What its person holds for a while, in this session alone; null: nothing.",
  }),
  approvals_closed: z.boolean().meta({
    description:
      "True: no approval goes through, since each was to be signed by a passkey, until an administrator sets that anew (`signed_approvals` of `PUT /v1/sign-in-rules`).",
  }),
  in_steps: z.boolean().meta({
    description: "True: an approval policy has a step that its person's approval counts in.",
  }),
  moving: z.boolean().meta({
    description:
      "True: the organisation moves away from an old gateway, which the meter tells of; see `connected` there.",
  }),
}).meta({ id: "Session" });

/** Whoever calls. */
export const caller = z.strictObject({
  ...who,
  credential: z.strictObject({ id: text, name: text, expires_at: nullable(timestamp) }),
}).meta({ id: "Caller" });

/** One of the caller's sessions, as they read of it. */
export const ownSession = z.strictObject({
  id: text,
  current: z.boolean().meta({ description: "True: this call comes by it." }),
  browser: text.meta({ description: "Such as `Firefox on Linux`; empty: not known." }),
  address: text.meta({
    description: "From where it began, as far as the trail may keep addresses; empty: not known.",
  }),
  opened_by: z.enum(sessionOpeners).meta({ description: "What it began with." }),
  date_created: timestamp,
  last_used_at: timestamp.meta({ description: "To the minute." }),
  expires_at: timestamp,
}).meta({ id: "OwnSession" });

/** Opens to every credential: asks for any permission at all. */
const anyPermission = permissions;

/** The body of the reference's example. */
export const signInExample = { code: "CODE-FROM-THE-LINK-THAT-THE-SERVER-PRINTED" };

/** A session begins. */
export const signIn = defineEndpoint({
  id: "signIn",
  method: "POST",
  path: "/v1/session",
  tag,
  summary:
    "Sign a browser in with an access token, a sign-in link's code or a passkey; sets the session's cookie",
  description:
    "For the console. Later calls carry the cookie, and changes the token against CSRF beside it. A session by passkey ends after 12 hours without use and after 7 days; any other after 12 hours, and unused as the setting says. Whoever has one-time codes is answered `one_time_code_required` to an access token alone: the same call with `one_time_code` signs in, and nothing is kept between. Too many wrong tries are answered 429.",
  permission: "public",
  body: z.object({
    credential: z.string().trim().min(1).max(4096).optional(),
    code: z.string().trim().min(1).max(128).optional(),
    passkey: assertionInput.optional(),
    one_time_code: oneTimeCodeInput.optional().meta({
      description:
        "Beside `credential`, of whoever has one-time codes: the app's six digits, or a recovery code.",
    }),
  }).refine(
    ({ one_time_code: _, ...ways }) =>
      Object.values(ways).filter((one) => one !== undefined).length === 1,
    { error: "expected credential, code or passkey, and no two of them" },
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
});

/** Whom a sign-in link would sign in. */
export const previewSignIn = defineEndpoint({
  id: "previewSignIn",
  method: "POST",
  path: "/v1/session/preview",
  tag,
  summary: "Read whom a sign-in link's code signs in; it signs in as before",
  description:
    "For a page on which somebody else is signed in: it asks before it ends that session. A code that signs nobody in is not found, and counts as a wrong sign-in does.",
  permission: "public",
  body: z.object({ code: z.string().trim().min(1).max(128) }).meta({ id: "SignInPreviewInput" }),
  response: z.strictObject({ person: named, organisation: named }).meta({ id: "SignInPreview" }),
  errors: [...bodyErrors, "not_found", "csrf_refused", "too_many_requests"],
  example: signInExample,
});

/** The session that the cookie stands for. */
export const getSession = defineEndpoint({
  id: "getSession",
  method: "GET",
  path: "/v1/session",
  tag,
  summary: "Who is signed in, and the token that changes by this session must carry",
  description: "Not found where nobody is signed in.",
  permission: anyPermission,
  withinElevation: true,
  withinScope: true,
  showsSecrets: "always",
  response: session,
  errors: ["not_found"],
});

const signedOut = {
  "set-cookie": "Takes the session's cookie away.",
  "clear-site-data": "Has the browser drop what it keeps of this site.",
};

/** The session ends. */
export const signOut = defineEndpoint({
  id: "signOut",
  method: "DELETE",
  path: "/v1/session",
  tag,
  summary: "Sign out: the session opens nothing any more",
  description: "The access token behind it stays good.",
  permission: anyPermission,
  withinElevation: true,
  withinScope: true,
  answerHeaders: signedOut,
  response: z.strictObject({ signed_out: z.literal(true) }),
  errors: ["not_found"],
});

/** Where one is signed in. */
export const listSessions = defineEndpoint({
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
});

const ended = z.strictObject({ ended: z.int() }).meta({ id: "SessionsEnded" });

/** One session of one's own. */
export const endSession = defineEndpoint({
  id: "endSession",
  method: "DELETE",
  path: "/v1/sessions/{id}",
  tag,
  summary: "End one of the caller's own sessions; where it is this one, that is signing out",
  description:
    "It opens nothing any more within a second. A session must have signed in within the last five minutes.",
  permission: anyPermission,
  withinScope: true,
  needsFreshSignIn: true,
  answerHeaders: signedOut,
  response: ended,
  errors: ["not_found"],
});

/** All of them. */
export const endSessions = defineEndpoint({
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
});

/** Who am I. */
export const getCaller = defineEndpoint({
  id: "getCaller",
  method: "GET",
  path: "/v1/me",
  tag,
  summary: "Who calls: person, organisation, access token and what it may do",
  description: "For an access token or a session alike.",
  permission: anyPermission,
  withinElevation: true,
  withinScope: true,
  response: caller,
  errors: [],
});
