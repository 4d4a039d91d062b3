import { z } from "zod";
import type { RequestContext } from "../../../calls/context.ts";
import { bodyErrors } from "../../../contract/endpoint.ts";
import { exampleIds } from "../../../contract/example-ids.ts";
import { text, timestamp } from "../../../contract/values.ts";
import type { AnyCall } from "../../../http/call.ts";
import { operation } from "../../../http/operation.ts";
import {
  endedSessionHeaders,
  isSecureCall,
  requireSameOrigin,
  sessionCookie,
  sessionSecretOf,
} from "../../../http/session-cookie.ts";
import { Answer } from "../../../kernel/answer.ts";
import type { AccountContext } from "../../accounts/developer-accounts.service.ts";
import {
  code,
  codeTicket,
  developerSession,
  developerSignInInput,
  exampleCode,
  exampleTicket,
  ownDeveloperSession,
  ticket,
} from "./sign-in.contract.ts";
import * as service from "./sign-in.service.ts";

const tag = "My account";

/** A code by mail. */
export const requestSignInCode = operation({
  id: "requestSignInCode",
  method: "POST",
  path: "/v1/my/codes",
  tag,
  summary: "Have a code of six digits mailed, to sign in or to sign up with",
  description:
    "The answer is the same whether the address is known or not. A code works once, within 10 minutes, with the ticket of this answer, and after five wrong codes no more. Codes go to an address that is the developer's; one that was changed gets none before the change was confirmed. At most five an hour for one address from one network.",
  permission: "public",
  body: z.object({ email: z.string().trim().min(1).max(254) }).meta({ id: "CodeInput" }),
  status: 202,
  response: codeTicket,
  errors: [...bodyErrors, "not_found", "csrf_refused", "too_many_requests"],
  example: { email: exampleIds.email },
  async serve(ctx: AccountContext, call) {
    requireOwnPage(ctx, call);
    const ticket = await service.askCode(ctx, call.body.email, visitorOf(ctx, call));
    return new Answer(ticket, {}, 202);
  },
});

/** A session begins. */
export const signInDeveloper = operation({
  id: "signInDeveloper",
  method: "POST",
  path: "/v1/my/session",
  tag,
  summary: "Sign a developer in by a mailed code, a password, a link or a nonce",
  description:
    "Sets the session's cookie, which is valid for `/v1/my` and `/portal` and nothing else. A code of a person who is no developer yet makes them one, with `fields`. A password that an access token set, a link and a nonce open a session that reads, requests and withdraws.",
  permission: "public",
  body: developerSignInInput,
  answerHeaders: {
    "set-cookie":
      "The developer's session: `__Host-keydesk-developer` over https, else `keydesk_developer`; HttpOnly, SameSite=Strict.",
  },
  response: developerSession,
  errors: [
    ...bodyErrors,
    "not_authorised",
    "wrong_code",
    "not_found",
    "csrf_refused",
    "too_many_requests",
  ],
  example: { ticket: exampleTicket, code: exampleCode },
  async serve(ctx: AccountContext, call) {
    // Else another site could sign its visitor in as a person of its choice.
    requireOwnPage(ctx, call);
    const { session, secret, lifeMs } = await service.signIn(ctx, call.body, visitorOf(ctx, call));
    const cookie = sessionCookie(secret, lifeMs, isSecureCall(ctx, call), "developer");
    return new Answer(session, { "set-cookie": cookie });
  },
});

/** Reads the developer's session. */
export const getDeveloperSession = operation({
  id: "getDeveloperSession",
  method: "GET",
  path: "/v1/my/session",
  tag,
  summary:
    "Read the signed-in developer, the session's scope, and the token that changes by it must carry",
  description: "Not found for a developer's token.",
  permission: "developer",
  answersSecrets: "always",
  response: developerSession,
  errors: ["not_found"],
  serve: (ctx: AccountContext, call) => service.get(ctx, secretOf(ctx, call)),
});

const signedOut = {
  "set-cookie": "Takes the session's cookie away.",
  "clear-site-data": "Has the browser drop what it keeps of this site.",
};

/** The session ends. */
export const signOutDeveloper = operation({
  id: "signOutDeveloper",
  method: "DELETE",
  path: "/v1/my/session",
  tag,
  summary: "Sign out: the session is no longer valid",
  description: "Not found for a developer's token.",
  permission: "developer",
  developerNeeds: "looking",
  answerHeaders: signedOut,
  response: z.strictObject({ signed_out: z.literal(true) }),
  errors: ["not_found"],
  async serve(ctx: AccountContext, call) {
    await service.end(ctx);
    return new Answer({ signed_out: true as const }, afterSignOut(ctx, call));
  },
});

/** A code for the session that is there. */
export const requestProofCode = operation({
  id: "requestProofCode",
  method: "POST",
  path: "/v1/my/session/codes",
  tag,
  summary: "Have a code mailed to one's own address, to unlock all of this session",
  description:
    "It goes to the developer's address if that is theirs; else no mail is sent. Not found for a developer's token.",
  permission: "developer",
  developerNeeds: "looking",
  status: 202,
  response: codeTicket,
  errors: ["not_found"],
  serve: async (ctx: AccountContext) => new Answer(await service.askProof(ctx), {}, 202),
});

/** The code for the session that is there. */
export const enterProofCode = operation({
  id: "enterProofCode",
  method: "POST",
  path: "/v1/my/session/proof",
  tag,
  summary: "Enter the code that was mailed for this session, which unlocks all from then on",
  description: "A wrong code is counted as at signing in.",
  permission: "developer",
  developerNeeds: "looking",
  body: z.object({ ticket, code }).meta({ id: "ProofInput" }),
  response: developerSession,
  errors: [...bodyErrors, "not_found", "wrong_code"],
  example: { ticket: exampleTicket, code: exampleCode },
  serve: (ctx: AccountContext, call) => service.prove(ctx, call.body, secretOf(ctx, call)),
});

/** Lists the developer's own sessions. */
export const listMySessions = operation({
  id: "listMySessions",
  method: "GET",
  path: "/v1/my/sessions",
  tag,
  summary: "List one's own sessions, newest first; at most 20",
  description: "Also those that a portal's back end opened.",
  permission: "developer",
  response: z.strictObject({ data: z.array(ownDeveloperSession) })
    .meta({ id: "OwnDeveloperSessionList" }),
  errors: [],
  serve: async (ctx: AccountContext) => ({ data: await service.list(ctx) }),
});

const ended = z.strictObject({ ended: z.int() }).meta({ id: "DeveloperSessionsEnded" });

/** One session of one's own. */
export const endMySession = operation({
  id: "endMySession",
  method: "DELETE",
  path: "/v1/my/sessions/{id}",
  tag,
  summary: "Revoke one of one's own sessions",
  description: "It is no longer valid. By a session alone; a token is refused.",
  permission: "developer",
  answerHeaders: signedOut,
  response: ended,
  errors: ["not_found"],
  async serve(ctx: AccountContext, call) {
    const isOwn = await service.endOne(ctx, call.params.id);
    return new Answer({ ended: 1 }, isOwn ? afterSignOut(ctx, call) : {});
  },
});

/** All of them. */
export const endMySessions = operation({
  id: "endMySessions",
  method: "DELETE",
  path: "/v1/my/sessions",
  tag,
  summary: "Revoke all of one's own sessions, this one too: sign out everywhere",
  description: "Tokens stay good. By a session alone; a token is refused.",
  permission: "developer",
  answerHeaders: signedOut,
  response: ended,
  errors: [],
  async serve(ctx: AccountContext, call) {
    const ended = await service.endAll(ctx);
    return new Answer({ ended }, afterSignOut(ctx, call));
  },
});

/** A portal's back end sends its signed-in developer on. */
export const createSignInLink = operation({
  id: "createSignInLink",
  method: "POST",
  path: "/v1/developers/{id}/sign-in-links",
  tag: "Developer's pages",
  summary: "Make a link that signs a developer in at their pages, once within 60 seconds",
  description:
    "For a portal that has signed them in by itself. The session says in the audit log who made it; it reads, asks and withdraws, and more only by a mailed code or the setting `back_end_access`. Not found where the pages are off.",
  permission: ["act:developer"],
  response: z.strictObject({
    id: text,
    token: text.meta({ description: "The value for `link` of `POST /v1/my/session`." }),
    expires_at: timestamp,
  }).meta({ id: "SignInLink" }),
  errors: ["not_found"],
  serve: (ctx: AccountContext, { params }) => service.createLink(ctx, params.id),
});

/** A person of the organisation sees what a developer does. */
export const createDeveloperView = operation({
  id: "createDeveloperView",
  method: "POST",
  path: "/v1/developers/{id}/views",
  tag: "Developer's pages",
  summary: "Make a link that shows a developer's pages as that developer sees them, to read only",
  description:
    "Once within 60 seconds, in a session of 30 minutes that changes nothing. The audit log names the person at the link and at the session, and the developer's list of sessions shows it. It expires with the person's permission. Not found if the pages are off or have no address.",
  permission: ["admin"],
  permissionBesides: "portal:read",
  response: z.strictObject({
    id: text,
    token: text.meta({
      description:
        "The token behind `#` at `/portal/enter`, or the value for `POST /v1/my/session`.",
    }),
    pages_url: text.meta({
      description:
        "The address of the pages, such as `https://developers.example.org`; empty: this server.",
    }),
    expires_at: timestamp,
  }).meta({ id: "DeveloperView" }),
  errors: ["not_found"],
  serve: (ctx: AccountContext, { params }) => service.createView(ctx, params.id),
});

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
function afterSignOut(ctx: RequestContext, call: AnyCall): Record<string, string> {
  return endedSessionHeaders(isSecureCall(ctx, call), "developer");
}
