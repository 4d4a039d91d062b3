import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { exampleIds } from "../../contract/example-ids.ts";
import { text, timestamp } from "../../contract/values.ts";
import { codeTicket, exampleCode, exampleTicket } from "./sign-in.contract.ts";

const tag = "My account";
const SESSION = "By a session alone; a token is refused.";

/** What developers read of themselves. */
export const myProfile = z.strictObject({
  id: text,
  email: text,
  email_state: z.enum(["proved", "unproved", "reached", "agreed"]).meta({
    description: "`proved`: it is theirs. Else a change of it is still to be confirmed.",
  }),
  fields: z.record(z.string(), z.string()).meta({
    description: "What sign-up asks for: `name`, and the configuration's `signup_fields`.",
  }),
  has_password: z.boolean(),
  date_created: timestamp,
}).meta({ id: "MyProfile" });

/** Who am I? */
export const getMyProfile = defineEndpoint({
  id: "getMyProfile",
  method: "GET",
  path: "/v1/my/profile",
  tag,
  summary: "Read what the organisation keeps of oneself",
  description: "Fields that sign-up does not ask for are the organisation's, and not shown.",
  permission: "developer",
  response: myProfile,
  errors: [],
});

const fields = z.record(z.string().min(1).max(100), z.string().trim().max(1000)).refine(
  (given) => Object.keys(given).length <= 50,
  { error: "expected at most 50 fields" },
);

/** Other fields. */
export const putMyProfile = defineEndpoint({
  id: "putMyProfile",
  method: "PUT",
  path: "/v1/my/profile",
  tag,
  summary: "Replace one's name and what else sign-up asks for",
  description: `One that is left out is emptied; what sign-up does not ask for stays. ${SESSION}`,
  permission: "developer",
  body: z.object({ fields }).meta({ id: "MyProfileInput" }),
  response: myProfile,
  errors: [...bodyErrors],
  example: { fields: { name: "Ada Lovelace" } },
});

const mails = {
  language: z.enum(["", "en", "de"]).meta({
    description: "In which mails are written; empty: as the organisation has it.",
  }),
  quota: z.boolean().meta({
    description: "Told when four fifths of a key's quota are used, and when all of it is.",
  }),
  key_ends: z.boolean().meta({ description: "Told before a key ends, and when it has." }),
};

/** What developers are mailed. */
export const myMails = z.strictObject({
  ...mails,
  verified: z.boolean().meta({
    description: "False: nothing of quotas is mailed before a code that was mailed was entered.",
  }),
}).meta({ id: "MyMails" });

/** Which mails do I get? */
export const getMyMails = defineEndpoint({
  id: "getMyMails",
  method: "GET",
  path: "/v1/my/mails",
  tag,
  summary: "Read which mails one gets, and in which language",
  description: "Who never chose gets all of them. Mails of decisions and sign-ins are always sent.",
  permission: "developer",
  response: myMails,
  errors: [],
});

/** Other mails. */
export const putMyMails = defineEndpoint({
  id: "putMyMails",
  method: "PUT",
  path: "/v1/my/mails",
  tag,
  summary: "Choose which mails one gets, and in which language",
  description:
    `What the organisation's target of mails words itself stays in its words. ${SESSION}`,
  permission: "developer",
  body: z.object(mails).meta({ id: "MyMailsInput" }),
  response: myMails,
  errors: [...bodyErrors],
  example: { language: "de", quota: true, key_ends: false },
});

/** Another password. */
export const putMyPassword = defineEndpoint({
  id: "putMyPassword",
  method: "PUT",
  path: "/v1/my/password",
  tag,
  summary: "Choose a password, which ends all other sessions",
  description:
    "Only in a session that the developer began themselves within the last 10 minutes, as for a token: whoever forgot theirs signs in by a code. Not found where the pages take no passwords.",
  permission: "developer",
  developerNeeds: "own session",
  body: z.object({ password: z.string().min(1).max(1024) }).meta({ id: "MyPasswordInput" }),
  response: z.strictObject({
    ended: z.int().meta({ description: "How many other sessions there were." }),
  }).meta({ id: "MyPasswordChanged" }),
  errors: [...bodyErrors, "not_found", "developer_refused"],
  example: { password: "a password of the example" },
});

/** A code to an address that is to be one's own. */
export const askForEmailCode = defineEndpoint({
  id: "askForEmailCode",
  method: "POST",
  path: "/v1/my/email/codes",
  tag,
  summary: "Have a code mailed to the address that is to be one's own",
  description:
    `Answers alike whether another developer has the address or not; then it is mailed to nobody. ${SESSION}`,
  permission: "developer",
  developerNeeds: "all",
  body: z.object({ email: z.string().trim().min(1).max(254) }).meta({ id: "EmailCodeInput" }),
  status: 202,
  response: codeTicket,
  errors: [...bodyErrors],
  example: { email: exampleIds.email },
});

/** Another address. */
export const putMyEmail = defineEndpoint({
  id: "putMyEmail",
  method: "PUT",
  path: "/v1/my/email",
  tag,
  summary: "Take the address to which a code was mailed",
  description:
    `The address before is asked by mail to agree, as with every changed address; no code to sign in with goes to the new one until it did, or a person of the organisation. ${SESSION}`,
  permission: "developer",
  developerNeeds: "all",
  body: z.object({
    ticket: z.string().min(1).max(128),
    code: z.string().trim().regex(/^\d{6}$/, { error: "expected six digits" }),
  }).meta({ id: "MyEmailInput" }),
  response: myProfile,
  errors: [...bodyErrors, "wrong_code"],
  example: { ticket: exampleTicket, code: exampleCode },
});
