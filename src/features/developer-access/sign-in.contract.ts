import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { exampleIds } from "../../contract/example-ids.ts";
import { nullable } from "../../contract/v1.ts";
import { text, timestamp } from "../../contract/values.ts";

const tag = "My account";

/** The developer's session in a browser. */
export const developerSession = z.strictObject({
  developer: z.strictObject({
    id: text,
    email: text,
    name: text.meta({ description: "Empty: they said none." }),
  }),
  csrf_token: text.meta({ description: "What changes by this session carry as `X-CSRF-Token`." }),
  opened_by: z.enum(["code", "password", "link", "nonce", "view", "provider"]).meta({
    description: "`view`: by a person of the organisation, who sees what the developer does.",
  }),
  opens: z.enum(["all", "look", "read"]).meta({
    description:
      "`read`: reads and nothing else. `look`: reads, asks and withdraws. Whatever hands a key out, rotates or ends it, or changes the address asks for a mailed code first.",
  }),
  made_by: text.meta({
    description: "Whose access token made the link or the nonce, by name; empty: nobody's.",
  }),
  fresh: z.boolean().meta({
    description: "True: the developer's own session, begun within the last 10 minutes.",
  }),
  expires_at: timestamp.meta({ description: "It ends after 12 hours without use, too." }),
}).meta({ id: "DeveloperSession" });

/** The ticket and the code of examples. */
export const exampleTicket = "TICKET-OF-THE-ANSWER";
export const exampleCode = "493027";

const code = z.string().trim().regex(/^\d{6}$/, { error: "expected six digits" });
const ticket = z.string().min(1).max(128);

/** What belongs to a code that was asked for. */
export const codeTicket = z.strictObject({
  ticket: text.meta({
    description: "Goes with the code: neither opens anything without the other.",
  }),
  expires_at: timestamp.meta({ description: "Until when the code can be entered." }),
}).meta({ id: "CodeTicket" });

/** A code by mail. */
export const askForSignInCode = defineEndpoint({
  id: "askForSignInCode",
  method: "POST",
  path: "/v1/my/codes",
  tag,
  summary: "Have a code of six digits mailed, to sign in or to sign up with",
  description:
    "Answers alike whether anybody has the address or not. A code works once, within 10 minutes, with the ticket of this answer, and after five wrong codes no more. Codes go to an address that is the developer's; one that was changed gets none before the change was confirmed. At most five an hour for one address from one network.",
  permission: "public",
  body: z.object({ email: z.string().trim().min(1).max(254) }).meta({ id: "CodeInput" }),
  status: 202,
  response: codeTicket,
  errors: [...bodyErrors, "not_found", "csrf_refused", "too_many_requests"],
  example: { email: exampleIds.email },
});

const fields = z.record(z.string().min(1).max(100), z.string().trim().max(1000)).refine(
  (given) => Object.keys(given).length <= 50,
  { error: "expected at most 50 fields" },
);

/** Whether exactly one way to sign in is presented; `fields` go with a code alone. */
function isOneWay(body: Readonly<Record<string, unknown>>): boolean {
  const named = Object.keys(body).filter((name) => body[name] !== undefined).sort().join();
  return ["code,ticket", "code,fields,ticket", "email,password", "link", "nonce"].includes(named);
}

/** A session begins. */
export const signInDeveloper = defineEndpoint({
  id: "signInDeveloper",
  method: "POST",
  path: "/v1/my/session",
  tag,
  summary: "Sign a developer in by a mailed code, a password, a link or a nonce",
  description:
    "Sets the session's cookie, which opens `/v1/my` and `/portal` and nothing else. A code of somebody who is no developer yet makes them one, with `fields`. A password that an access token set, a link and a nonce open a session that reads, asks and withdraws.",
  permission: "public",
  body: z.object({
    ticket: ticket.optional(),
    code: code.optional(),
    fields: fields.optional(),
    email: z.string().trim().min(1).max(254).optional(),
    password: z.string().min(1).max(1024).optional(),
    link: z.string().min(1).max(128).optional(),
    nonce: z.string().min(1).max(128).optional(),
  }).refine(isOneWay, {
    error: "expected ticket and code, email and password, link, or nonce, and nothing else",
  }).meta({ id: "DeveloperSignInInput" }),
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
});

/** Who is signed in. */
export const getDeveloperSession = defineEndpoint({
  id: "getDeveloperSession",
  method: "GET",
  path: "/v1/my/session",
  tag,
  summary: "Who is signed in, what the session opens, and what changes by it must carry",
  description: "Not found for a developer's token.",
  permission: "developer",
  showsSecrets: "always",
  response: developerSession,
  errors: ["not_found"],
});

const signedOut = {
  "set-cookie": "Takes the session's cookie away.",
  "clear-site-data": "Has the browser drop what it keeps of this site.",
};

/** The session ends. */
export const signOutDeveloper = defineEndpoint({
  id: "signOutDeveloper",
  method: "DELETE",
  path: "/v1/my/session",
  tag,
  summary: "Sign out: the session opens nothing any more",
  description: "Not found for a developer's token.",
  permission: "developer",
  developerNeeds: "looking",
  answerHeaders: signedOut,
  response: z.strictObject({ signed_out: z.literal(true) }),
  errors: ["not_found"],
});

/** A code for the session that is there. */
export const askForProofCode = defineEndpoint({
  id: "askForProofCode",
  method: "POST",
  path: "/v1/my/session/codes",
  tag,
  summary: "Have a code mailed to one's own address, to open all in this session",
  description:
    "It goes to the developer's address where that is theirs, else to nobody. Not found for a developer's token.",
  permission: "developer",
  developerNeeds: "looking",
  status: 202,
  response: codeTicket,
  errors: ["not_found"],
});

/** The code for the session that is there. */
export const enterProofCode = defineEndpoint({
  id: "enterProofCode",
  method: "POST",
  path: "/v1/my/session/proof",
  tag,
  summary: "Enter the code that was mailed for this session, which opens all from then on",
  description: "A wrong code is counted as at signing in.",
  permission: "developer",
  developerNeeds: "looking",
  body: z.object({ ticket, code }).meta({ id: "ProofInput" }),
  response: developerSession,
  errors: [...bodyErrors, "not_found", "wrong_code"],
  example: { ticket: exampleTicket, code: exampleCode },
});

/** One of the developer's sessions, as they read of it. */
export const ownDeveloperSession = z.strictObject({
  id: text,
  current: z.boolean().meta({ description: "True: this call comes by it." }),
  browser: text.meta({ description: "Such as `Firefox on Linux`; empty: not known." }),
  opened_by: z.enum(["code", "password", "link", "nonce", "view", "provider"]),
  opens: z.enum(["all", "look", "read"]),
  date_created: timestamp,
  last_used_at: nullable(timestamp),
  expires_at: timestamp,
}).meta({ id: "OwnDeveloperSession" });

/** Where one is signed in. */
export const listMySessions = defineEndpoint({
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
});

const ended = z.strictObject({ ended: z.int() }).meta({ id: "DeveloperSessionsEnded" });

/** One session of one's own. */
export const endMySession = defineEndpoint({
  id: "endMySession",
  method: "DELETE",
  path: "/v1/my/sessions/{id}",
  tag,
  summary: "End one of one's own sessions",
  description: "It opens nothing any more. By a session alone; a token is refused.",
  permission: "developer",
  answerHeaders: signedOut,
  response: ended,
  errors: ["not_found"],
});

/** All of them. */
export const endMySessions = defineEndpoint({
  id: "endMySessions",
  method: "DELETE",
  path: "/v1/my/sessions",
  tag,
  summary: "End all of one's own sessions, this one too: sign out everywhere",
  description: "Tokens stay good. By a session alone; a token is refused.",
  permission: "developer",
  answerHeaders: signedOut,
  response: ended,
  errors: [],
});

/** A portal's back end sends its signed-in developer on. */
export const createSignInLink = defineEndpoint({
  id: "createSignInLink",
  method: "POST",
  path: "/v1/developers/{id}/sign-in-links",
  tag: "Developer's pages",
  summary: "Make a link that signs a developer in at their pages, once within 60 seconds",
  description:
    "For a portal that has signed them in by itself. The session says in the trail who made it; it reads, asks and withdraws, and more only by a mailed code or the setting `back_end_opens`. Not found where the pages are off.",
  permission: ["act:developer"],
  response: z.strictObject({
    id: text,
    token: text.meta({ description: "What `POST /v1/my/session` takes as `link`." }),
    expires_at: timestamp,
  }).meta({ id: "SignInLink" }),
  errors: ["not_found"],
});

/** A person of the organisation sees what a developer does. */
export const createDeveloperView = defineEndpoint({
  id: "createDeveloperView",
  method: "POST",
  path: "/v1/developers/{id}/views",
  tag: "Developer's pages",
  summary: "Make a link that opens a developer's pages as that developer sees them, to read only",
  description:
    "Once within 60 seconds, in a session of 30 minutes that changes nothing. The trail names the person at the link and at the session, and the developer's list of sessions shows it. It ends with what the person may do. Not found where the pages are off or nowhere.",
  permission: ["admin"],
  permissionBesides: "portal:read",
  response: z.strictObject({
    id: text,
    token: text.meta({
      description:
        "What stands behind `#` at `/portal/enter`, or what `POST /v1/my/session` takes.",
    }),
    pages_url: text.meta({
      description: "Where the pages are, such as `https://developers.example.org`; empty: here.",
    }),
    expires_at: timestamp,
  }).meta({ id: "DeveloperView" }),
  errors: ["not_found"],
});
