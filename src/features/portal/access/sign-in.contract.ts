import { z } from "zod";
import { nullable } from "../../../contract/v1.ts";
import { text, timestamp } from "../../../contract/values.ts";

/** The developer's session in a browser. */
export const developerSession = z.strictObject({
  developer: z.strictObject({
    id: text,
    email: text,
    name: text.meta({ description: "Empty: they said none." }),
  }),
  csrf_token: text.meta({
    description: "The value of `X-CSRF-Token` for changes by this session.",
  }),
  signed_in_by: z.enum(["code", "password", "link", "nonce", "view", "provider"]).meta({
    description: "`view`: by a person of the organisation, who sees what the developer does.",
  }),
  access: z.enum(["all", "look", "read"]).meta({
    description:
      "`read`: reads and nothing else. `look`: reads, requests and withdraws. Calls that hand out, rotate or revoke a key, or change the address, ask for a mailed code first.",
  }),
  made_by: text.meta({
    description: "The name of the access token that made the link or the nonce; empty: none.",
  }),
  fresh: z.boolean().meta({
    description: "True: the developer's own session, begun within the last 10 minutes.",
  }),
  expires_at: timestamp.meta({ description: "It expires after 12 hours without use, too." }),
}).meta({ id: "DeveloperSession" });

/** The ticket and the code of examples. */
export const exampleTicket = "TICKET-OF-THE-ANSWER";

export const exampleCode = "493027";

export const code = z.string().trim().regex(/^\d{6}$/, { error: "expected six digits" });

export const ticket = z.string().min(1).max(128);

/** The ticket of a requested code. */
export const codeTicket = z.strictObject({
  ticket: text.meta({
    description: "Goes with the code: each is valid only with the other.",
  }),
  expires_at: timestamp.meta({ description: "Until when the code can be entered." }),
}).meta({ id: "CodeTicket" });

export const fields = z.record(z.string().min(1).max(100), z.string().trim().max(1000)).refine(
  (given) => Object.keys(given).length <= 50,
  { error: "expected at most 50 fields" },
);

/** Whether exactly one way to sign in is presented; `fields` go with a code alone. */
function isOneWay(body: Readonly<Record<string, unknown>>): boolean {
  const named = Object.keys(body).filter((name) => body[name] !== undefined).sort().join();
  return ["code,ticket", "code,fields,ticket", "email,password", "link", "nonce"].includes(named);
}

/** The body of `signInDeveloper`. */
export const developerSignInInput = z.object({
  ticket: ticket.optional(),
  code: code.optional(),
  fields: fields.optional(),
  email: z.string().trim().min(1).max(254).optional(),
  password: z.string().min(1).max(1024).optional(),
  link: z.string().min(1).max(128).optional(),
  nonce: z.string().min(1).max(128).optional(),
}).refine(isOneWay, {
  error: "expected ticket and code, email and password, link, or nonce, and nothing else",
}).meta({ id: "DeveloperSignInInput" });

/** One of the developer's sessions, as they read of it. */
export const ownDeveloperSession = z.strictObject({
  id: text,
  current: z.boolean().meta({ description: "True: this call comes by it." }),
  browser: text.meta({ description: "Such as `Firefox on Linux`; empty: not known." }),
  signed_in_by: z.enum(["code", "password", "link", "nonce", "view", "provider"]),
  access: z.enum(["all", "look", "read"]),
  date_created: timestamp,
  last_used_at: nullable(timestamp),
  expires_at: timestamp,
}).meta({ id: "OwnDeveloperSession" });
