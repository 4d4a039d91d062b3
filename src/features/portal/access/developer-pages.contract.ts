import { z } from "zod";
import { MAIL_DOMAIN } from "../../../contract/values.ts";
import { signInBranding } from "../../branding/branding.contract.ts";

/** A name of a host as a browser sends it: lower case, perhaps with a port. */
const HOST =
  /^(?=.{1,253}(:|$))[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:\d{1,5})?$/;

/** The rules of signing up. */
const signUpRules = ["closed", "invitation", "domains", "open"] as const;

/** The settings of an organisation's developer's pages. */
export const developerPages = z.object({
  enabled: z.boolean().default(false).meta({
    description: "False: there are no pages, and no developer is signed in.",
  }),
  host: z.string().trim().toLowerCase().default("").refine(
    (text) => text === "" || HOST.test(text),
    { error: "expected a host such as developers.example.org, or nothing" },
  ).meta({
    description:
      "The host, with its port if it has one, of these pages. Empty: the first organisation's are at `KEYDESK_PORTAL_URL`, else at this server; another's have no address.",
  }),
  sign_up: z.enum(signUpRules).default("closed").meta({
    description:
      "Self sign-up: none, those who were invited, those with an address of `mail_domains` or an invitation, or all with an address.",
  }),
  mail_domains: z.array(
    z.string().trim().toLowerCase().regex(MAIL_DOMAIN, {
      error: "expected a domain such as example.org",
    }),
  ).max(100).default([]),
  passwords: z.boolean().default(true).meta({
    description: "Whether a developer may sign in with their password.",
  }),
  back_end_access: z.enum(["look", "all"]).default("look").meta({
    description:
      "The scope of a session that a portal's back end opened by a link: read, request and withdraw, or all that a developer may. `look` asks for a mailed code before a key is handed out, rotated or revoked, or the address changed.",
  }),
}).meta({ id: "DeveloperPages" });

/** The settings as they are read. */
export const developerPagesSettings = z.strictObject({
  ...developerPages.shape,
  codes_mailed: z.boolean().meta({
    description:
      "Whether codes can be mailed: the server has a mail server, and the organisation a mail channel. If not, no one can sign up, whatever `sign_up` says.",
  }),
}).meta({ id: "DeveloperPagesSettings" });

/** The answer of `getMyPages`. */
export const developerPagesView = z.strictObject({
  organisation: signInBranding,
  sign_in: z.strictObject({
    code: z.boolean().meta({ description: "Codes are mailed." }),
    password: z.boolean(),
  }),
  sign_up: z.enum(signUpRules),
}).meta({ id: "MyPages" });
