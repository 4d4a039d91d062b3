import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { permissions } from "../../contract/permissions.ts";
import { nullable } from "../../contract/v1.ts";
import { text, timestamp } from "../../contract/values.ts";

const tag = "Sign-in";

const named = z.strictObject({ id: text, name: text });

const who = {
  person: named,
  organisation: named,
  permissions: z.array(z.enum(permissions)),
};

/** A browser's session. */
export const session = z.strictObject({
  ...who,
  csrf_token: text,
  expires_at: timestamp,
}).meta({ id: "Session" });

/** Whoever calls. */
export const caller = z.strictObject({
  ...who,
  credential: z.strictObject({ id: text, name: text, expires_at: nullable(timestamp) }),
}).meta({ id: "Caller" });

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
    "Sign a browser in with an access token or a one-time code; sets the cookie keydesk_session",
  description:
    "For the console. Later calls carry the cookie, and changes the token against CSRF beside it. Too many wrong tries are answered 429.",
  permission: "public",
  body: z.object({
    credential: z.string().trim().min(1).max(4096).optional(),
    code: z.string().trim().min(1).max(128).optional(),
  }).refine(({ credential, code }) => (credential === undefined) !== (code === undefined), {
    error: "expected credential or code, and not both",
  }).meta({ id: "SignInInput" }),
  answerHeaders: {
    "set-cookie": "`keydesk_session`: the browser's session; HttpOnly, SameSite=Strict.",
  },
  response: session,
  errors: [...bodyErrors, "not_authorised", "access_denied", "csrf_refused", "too_many_requests"],
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
  response: session,
  errors: ["not_found"],
});

/** The session ends. */
export const signOut = defineEndpoint({
  id: "signOut",
  method: "DELETE",
  path: "/v1/session",
  tag,
  summary: "Sign out: the session opens nothing any more",
  description: "The access token behind it stays good.",
  permission: anyPermission,
  answerHeaders: { "set-cookie": "Takes the cookie `keydesk_session` away." },
  response: z.strictObject({ signed_out: z.literal(true) }),
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
  response: caller,
  errors: [],
});
