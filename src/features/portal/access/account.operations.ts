import { z } from "zod";
import { bodyErrors } from "../../../contract/endpoint.ts";
import { exampleIds } from "../../../contract/example-ids.ts";
import { operation } from "../../../http/operation.ts";
import { Answer } from "../../../kernel/answer.ts";
import type { AccountContext } from "../../accounts/developer-accounts.service.ts";
import { myMails, myMailsInput, myProfile } from "./account.contract.ts";
import * as service from "./account.service.ts";
import { codeTicket, exampleCode, exampleTicket } from "./sign-in.contract.ts";

const tag = "My account";

const SESSION = "By a session alone; a token is refused.";

/** Reads the developer's own profile. */
export const getMyProfile = operation({
  id: "getMyProfile",
  method: "GET",
  path: "/v1/my/profile",
  tag,
  summary: "Read what the organisation keeps of oneself",
  description: "Fields that sign-up does not ask for are the organisation's, and not shown.",
  permission: "developer",
  response: myProfile,
  errors: [],
  serve: (ctx: AccountContext) => service.get(ctx),
});

const fields = z.record(z.string().min(1).max(100), z.string().trim().max(1000)).refine(
  (given) => Object.keys(given).length <= 50,
  { error: "expected at most 50 fields" },
);

/** Other fields. */
export const putMyProfile = operation({
  id: "putMyProfile",
  method: "PUT",
  path: "/v1/my/profile",
  tag,
  summary: "Replace one's name and the other fields of sign-up",
  description: `One that is left out is emptied; what sign-up does not ask for stays. ${SESSION}`,
  permission: "developer",
  body: z.object({ fields }).meta({ id: "MyProfileInput" }),
  response: myProfile,
  errors: [...bodyErrors],
  example: { fields: { name: "Ada Lovelace" } },
  serve: (ctx: AccountContext, { body }) => service.setFields(ctx, body.fields),
});

/** Which mails do I get? */
export const getMyMails = operation({
  id: "getMyMails",
  method: "GET",
  path: "/v1/my/mails",
  tag,
  summary: "Read which mails one gets, and in which language",
  description:
    "Without a choice one gets all of them. Mails of decisions and sign-ins are always sent.",
  permission: "developer",
  response: myMails,
  errors: [],
  serve: (ctx: AccountContext) => service.getMails(ctx),
});

/** Other mails. */
export const putMyMails = operation({
  id: "putMyMails",
  method: "PUT",
  path: "/v1/my/mails",
  tag,
  summary: "Choose which mails one gets, and in which language",
  description: `Texts that the organisation's mail channel replaces stay in its words. ${SESSION}`,
  permission: "developer",
  body: myMailsInput,
  response: myMails,
  errors: [...bodyErrors],
  example: { language: "de", quota: true, key_ends: false },
  serve: (ctx: AccountContext, { body }) => service.setMails(ctx, body),
});

/** Another password. */
export const putMyPassword = operation({
  id: "putMyPassword",
  method: "PUT",
  path: "/v1/my/password",
  tag,
  summary: "Choose a password, which revokes all other sessions",
  description:
    "Only in a session that the developer began themselves within the last 10 minutes, as for a token: a developer who forgot theirs signs in by a code. Not found if the pages take no passwords.",
  permission: "developer",
  developerNeeds: "own session",
  body: z.object({ password: z.string().min(1).max(1024) }).meta({ id: "MyPasswordInput" }),
  response: z.strictObject({
    ended: z.int().meta({ description: "How many other sessions there were." }),
  }).meta({ id: "MyPasswordChanged" }),
  errors: [...bodyErrors, "not_found", "developer_refused"],
  example: { password: "a password of the example" },
  serve: async (ctx: AccountContext, { body }) => ({
    ended: await service.setPassword(ctx, body.password),
  }),
});

/** A code to an address that is to be one's own. */
export const requestEmailCode = operation({
  id: "requestEmailCode",
  method: "POST",
  path: "/v1/my/email/codes",
  tag,
  summary: "Have a code mailed to the address that is to be one's own",
  description:
    `The answer is the same whether another developer has the address or not; if one has, no mail is sent. ${SESSION}`,
  permission: "developer",
  developerNeeds: "all",
  body: z.object({ email: z.string().trim().min(1).max(254) }).meta({ id: "EmailCodeInput" }),
  status: 202,
  response: codeTicket,
  errors: [...bodyErrors],
  example: { email: exampleIds.email },
  serve: async (ctx: AccountContext, { body }) =>
    new Answer(await service.askEmailCode(ctx, body.email), {}, 202),
});

/** Another address. */
export const putMyEmail = operation({
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
  serve: (ctx: AccountContext, { body }) => service.setEmail(ctx, body),
});
