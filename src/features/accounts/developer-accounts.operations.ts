import { z } from "zod";
import { actorOf, type Idempotency, idempotentCall, may } from "../../calls/principal.ts";
import { keptAnswer } from "../../changes/idempotent-answers.ts";
import { bodyErrors } from "../../contract/endpoint.ts";
import { envelope, ok, pageNumber } from "../../contract/envelope.ts";
import { operation } from "../../http/operation.ts";
import { Answer, type Pieces } from "../../kernel/answer.ts";
import { Failure } from "../../kernel/failure.ts";
import { newId } from "../../kernel/ids.ts";
import { filtered, pagedList } from "../../kernel/paged-list.ts";
import { countedPage } from "../../storage/list-counts.ts";
import {
  developerCounter,
  type DeveloperRow,
  developersAfter,
  findDeveloper,
  findDeveloperByEmail,
  findDeveloperBySsoKey,
  firstDevelopers,
  pageOfDevelopers,
} from "../developers/developer-accounts.store.ts";
import { withoutSecretFields } from "../developers/developer-text.ts";
import { type Developer, emailKey, ssoKeyHash } from "../developers/developer.ts";
import { developer } from "../developers/developers.contract.ts";
import { developerExists, openDeveloper } from "../developers/developers.store.ts";
import { newEmailLinks } from "../developers/email-proof.ts";
import { settleSsoKeys } from "../developers/sso-keys.service.ts";
import { coverageOfCaller } from "../plans/coverage.ts";
import { plansOpening } from "../plans/every-plan.store.ts";
import { type AccountInput, newAccount } from "./account.ts";
import { removeDeveloper } from "./v1.service.ts";
import { developerAccountInput, password } from "./developer-accounts.contract.ts";
import * as service from "./developer-accounts.service.ts";
import type { AccountContext } from "./developer-accounts.service.ts";
import {
  changePassword,
  createAccount,
  replaceAccount,
} from "./developer-accounts.transactions.ts";
import { type Called, refuseWeakPassword } from "./password-rules.ts";
import { listWithin, seenDeveloper } from "./within-scope.service.ts";

/** A page of developers. */
const developerList = z.strictObject({
  Data: z.array(developer.output),
  Pages: z.int(),
}).meta({ id: "ClassicDeveloperList" });

const tag = "Developers (classic)";

const example = {
  email: "mary@example.org",
  fields: { name: "Mary", company: "Example" },
  password: "a long sentence that only she knows",
};

export const listClassicDevelopers = operation({
  id: "listClassicDevelopers",
  method: "GET",
  path: "/api/portal/developers",
  tag,
  summary: "List developers, newest first",
  description: "Without `p` all of them; with `p` from 1 on, that page.",
  permission: ["portal:read"],
  withinScope: true,
  query: z.object({
    p: pageNumber.meta({ description: "Page from 1; absent or below 1: everything, streamed." }),
  }),
  answersSecrets: "to those who may",
  response: developerList,
  errors: ["invalid_input"],
  async serve(ctx: AccountContext, { query: { p } }) {
    const { storage: { reader }, principal: { org_id }, settings: { pageSize } } = ctx;
    const coverage = await coverageOfCaller(reader, ctx.principal);
    if (coverage) return await pagedList(listWithin(ctx, coverage), p, pageSize);
    return await listed(ctx, (toText) =>
      pagedList(
        {
          page: (offset, limit) =>
            countedPage({ counter: developerCounter, db: reader, org_id, offset }, {
              first: () => firstDevelopers(reader, org_id, limit),
              from: (position) => pageOfDevelopers(reader, org_id, position, limit),
            }),
          after: (last, limit) => developersAfter(reader, org_id, last, limit),
          serialize: toText,
        },
        p,
        pageSize,
      ));
  },
});

export const createClassicDeveloper = operation({
  id: "createClassicDeveloper",
  method: "POST",
  path: "/api/portal/developers",
  tag,
  summary: "Register a developer",
  description:
    "The e-mail address is required and belongs to one developer of the organisation. The message of the answer is the developer's id.",
  permission: ["portal:write"],
  body: developerAccountInput,
  idempotent: true,
  response: envelope,
  errors: [
    ...bodyErrors,
    "email_taken",
    "sso_key_taken",
    "developer_exists",
    "developer_refused",
    "too_many_requests",
  ],
  example,
  serve: async (ctx: AccountContext, { body, idempotency }) =>
    ok(await create(ctx, body, idempotency)),
});

export const getClassicDeveloper = operation({
  id: "getClassicDeveloper",
  method: "GET",
  path: "/api/portal/developers/{id}",
  tag,
  summary: "Read one developer",
  description:
    "With their keys and subscriptions. Secrets among the members are shown to access tokens with the permission `secrets` alone.",
  permission: ["portal:read"],
  withinScope: true,
  answersSecrets: "to those who may",
  response: developer.output,
  errors: ["not_found"],
  async serve(ctx: AccountContext, { params: { id } }) {
    const { storage: { reader }, principal: { org_id } } = ctx;
    return await answer(ctx, await findDeveloper(reader, { org_id, id }));
  },
});

export const getDeveloperByEmail = operation({
  id: "getDeveloperByEmail",
  method: "GET",
  path: "/api/portal/developers/email/{email}",
  tag,
  summary: "Read the developer with this e-mail address",
  description: "The address is percent-encoded in the path.",
  permission: ["portal:read"],
  withinScope: true,
  answersSecrets: "to those who may",
  response: developer.output,
  errors: ["not_found"],
  async serve(ctx: AccountContext, { params: { email } }) {
    const { storage: { reader }, principal: { org_id } } = ctx;
    const row = await findDeveloperByEmail(reader, { org_id, email_key: emailKey(email) });
    return await answer(ctx, row);
  },
});

export const getDeveloperBySsoKey = operation({
  id: "getDeveloperBySsoKey",
  method: "GET",
  path: "/api/portal/developers/ssokey/{key}",
  tag,
  summary: "Read the developer whom an identity provider knows by this sso_key",
  description:
    "Identity brokers read it at each sign-in, and create the developer where it is not found.",
  permission: ["portal:read"],
  keyParameter: "key",
  answersSecrets: "to those who may",
  response: developer.output,
  errors: ["not_found"],
  async serve(ctx: AccountContext, { params: { key: sso_key } }) {
    const { storage: { reader }, principal: { org_id } } = ctx;
    const hash = ssoKeyHash(sso_key);
    const row = await findDeveloperBySsoKey(reader, { org_id, hash });
    if (row) return await answer(ctx, row);
    // A caller that finds no developer registers a second one.
    await settleSsoKeys(ctx);
    return await answer(ctx, await findDeveloperBySsoKey(reader, { org_id, hash }));
  },
});

export const listDevelopersOfApi = operation({
  id: "listDevelopersOfApi",
  method: "GET",
  path: "/api/portal/developers/api/{api}",
  tag,
  summary:
    "List the developers with a key of a plan that is valid for an API, newest first; `-` is any",
  description: "Without `p` all of them; with `p` from 1 on, that page.",
  permission: ["portal:read"],
  query: z.object({
    p: pageNumber.meta({ description: "Page from 1; absent or below 1: everything, streamed." }),
  }),
  answersSecrets: "to those who may",
  response: developerList,
  errors: ["invalid_input"],
  async serve(ctx: AccountContext, { params: { api }, query: { p } }) {
    const { storage: { reader }, principal: { org_id }, settings: { pageSize } } = ctx;
    const plans = await plansOpening(reader, org_id, api);
    const isTheirs = (row: DeveloperRow) => {
      // as: the developers' store writes exactly this.
      const { keys } = JSON.parse(row.document) as Developer;
      return Object.values(keys).some((named) =>
        plans === undefined || named.some((plan) => plans.has(plan))
      );
    };
    const after = (last: DeveloperRow | undefined, limit: number) =>
      developersAfter(reader, org_id, last, limit);
    return await listed(
      ctx,
      (toText) => pagedList(filtered(after, isTheirs, LOOKED_AT, toText), p, pageSize),
    );
  },
});

export const updateDeveloper = operation({
  id: "updateDeveloper",
  method: "PUT",
  path: "/api/portal/developers/{id}",
  tag,
  summary: "Replace a developer; secrets, password and live keys that are left out stay",
  description: "Other members that are left out fall back to their defaults.",
  permission: ["portal:write"],
  body: developerAccountInput,
  response: envelope,
  errors: [
    ...bodyErrors,
    "not_found",
    "email_taken",
    "sso_key_taken",
    "developer_refused",
    "too_many_requests",
  ],
  example,
  async serve(ctx: AccountContext, { params, body }) {
    await update(ctx, params.id, body);
    return ok("Data updated");
  },
});

export const deleteClassicDeveloper = operation({
  id: "deleteClassicDeveloper",
  method: "DELETE",
  path: "/api/portal/developers/{id}",
  tag,
  summary: "Delete a developer with their undecided key requests, and revoke or keep their keys",
  description:
    "The requests go in the same transaction as the developer. Developer and keys are shut at once, and can be brought back for 7 days, by `POST /v1/developers/{id}/restore`. Without `approve` the access tokens of one person end no more than 50 keys an hour (a setting); their first deletion within an hour may be of a developer with more.",
  permission: ["portal:write"],
  query: z.object({
    keys: z.enum(["revoke", "keep"], { error: "expected revoke or keep" }).optional()
      .meta({ description: "The change to the developer's keys; absent: revoke." }),
  }),
  response: envelope,
  errors: ["not_found_for_deletion", "invalid_input", "too_many_revoked"],
  async serve(ctx: AccountContext, { params, query }) {
    await removeDeveloper(ctx, {
      id: params.id,
      keys: query.keys ?? "revoke",
      ifMatch: null,
      mayEnd: true,
    });
    return ok("Data deleted");
  },
});

export const verifyCredentials = operation({
  id: "verifyCredentials",
  method: "POST",
  path: "/api/portal/developers/verify_credentials",
  tag,
  summary: "Check a developer's e-mail address and password; the message is the developer's id",
  description:
    "A wrong password, an unknown address and an inactive developer are answered alike, after the same work. Too many tries are answered 429.",
  permission: ["portal:write"],
  body: z.object({ username: z.string().max(320), password }).meta({ id: "DeveloperSignIn" }),
  response: envelope,
  errors: [...bodyErrors, "wrong_credentials", "too_many_requests"],
  example: { username: example.email, password: example.password },
  serve: async (ctx: AccountContext, call) =>
    ok(await service.verifyCredentials(ctx, call.body, ctx.clientAddresses.of(call))),
});

export const setPassword = operation({
  id: "setDeveloperPassword",
  method: "POST",
  path: "/api/portal/developers/password/{id}",
  tag,
  summary: "Set a developer's password",
  description:
    "It is kept as a slow hash and never shown. Passwords that are too short, too long or among the commonest are refused.",
  permission: ["portal:write"],
  body: z.object({ password }).meta({ id: "DeveloperPassword" }),
  response: envelope,
  errors: [...bodyErrors, "unknown_developer", "developer_refused", "too_many_requests"],
  example: { password: example.password },
  async serve(ctx: AccountContext, { params, body }) {
    await setPasswordNow(ctx, params.id, body.password);
    return ok("Password changed");
  },
});

type SentAccount = AccountInput & { password?: string | undefined };

/**
 * A list of rows that are sent as they are; whether a secret is in it is known where it was made,
 * before it is sent.
 */
async function listed(
  ctx: AccountContext,
  make: (toText: (row: DeveloperRow) => string) => Promise<Answer<string | Pieces>>,
): Promise<Answer<string | Pieces>> {
  let secrets = 0;
  const { body, headers, status } = await make((row) => {
    if (answersSecrets(ctx, row)) secrets++;
    return toJson(ctx, row);
  });
  return new Answer(body, headers, status, false, typeof body === "string" && secrets === 0);
}

/** Developers that a page of those of an API looks at; "everything" knows no bound. */
const LOOKED_AT = 10_000;

/**
 * Registers a developer and gives the id. Throws `email_taken`, `sso_key_taken`,
 * `developer_exists`, `developer_refused`, `too_many_requests`.
 */
async function create(
  ctx: AccountContext,
  input: SentAccount,
  idempotency: Idempotency,
): Promise<string> {
  const { password, ...sent } = input;
  const now = ctx.clock.now();
  const call = idempotentCall(ctx.principal, now, idempotency);
  // No password is hashed for a repeat.
  const kept = await keptAnswer<string>(ctx.storage, ctx.sealer, call);
  if (kept !== undefined) return kept;
  const identity = { id: sent.id || newId(now), org_id: ctx.principal.org_id };
  const developer = newAccount(sent, identity, { now, newPassword: !!password });
  if (developer.sso_key !== "") await settleSsoKeys(ctx);
  const password_hash = await hashOf(ctx, password, sent);
  const actor = actorOf(ctx.principal, now);
  return await ctx.storage.commit(createAccount, {
    actor,
    developer,
    sent,
    password_hash,
    emailLinks: newEmailLinks(now),
    idempotency: call,
  });
}

/** Replaces a developer. Throws `not_found` besides what create throws. */
async function update(ctx: AccountContext, id: string, input: SentAccount): Promise<void> {
  const { password, ...sent } = input;
  await mustExist(ctx, id, "not_found");
  if (sent.sso_key) await settleSsoKeys(ctx);
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const password_hash = await hashOf(ctx, password, { ...sent, id });
  const seesSecrets = opensSecrets(ctx);
  const emailLinks = newEmailLinks(actor.now);
  const change = { actor, id, sent, seesSecrets, password_hash, emailLinks };
  await ctx.storage.commit(replaceAccount, change);
}

/** Sets a password. Throws `unknown_developer`, `developer_refused` and `too_many_requests`. */
async function setPasswordNow(
  ctx: AccountContext,
  id: string,
  password: string,
): Promise<void> {
  await mustExist(ctx, id, "unknown_developer");
  const actor = actorOf(ctx.principal, ctx.clock.now());
  await refuseWeakPassword(ctx, password, { org_id: actor.org_id, id });
  const password_hash = await ctx.passwords.hash(password);
  await ctx.storage.commit(changePassword, { actor, id, password_hash });
}

/** `whose`: what they are called by from now on, and before. */
async function hashOf(
  ctx: AccountContext,
  password: string | undefined,
  { id, email, fields }: Called & { id?: string | undefined },
): Promise<string | null> {
  if (!password) return null;
  const { org_id } = ctx.principal;
  await refuseWeakPassword(ctx, password, { org_id, id, email, fields });
  return await ctx.passwords.hash(password);
}

/** Asked before anything is hashed. Throws `otherwise` where there is no such developer. */
async function mustExist(
  ctx: AccountContext,
  id: string,
  otherwise: "not_found" | "unknown_developer",
): Promise<void> {
  if (!await developerExists(ctx.storage.reader, { org_id: ctx.principal.org_id, id })) {
    throw new Failure(otherwise);
  }
}

async function answer(
  ctx: AccountContext,
  row: DeveloperRow | undefined,
): Promise<Answer<string>> {
  if (!row) throw new Failure("not_found");
  const within = await seenDeveloper(ctx, row.document);
  if (within) return new Answer(withoutSecretFields(JSON.stringify(within.developer)));
  return new Answer(toJson(ctx, row), {}, 200, false, !answersSecrets(ctx, row));
}

function toJson(ctx: AccountContext, row: DeveloperRow): string {
  if (row.secrets === null || !answersSecrets(ctx, row)) return withoutSecretFields(row.document);
  ctx.notes.secretsRead(ctx.principal, "developer", 1);
  // as: the developers' store writes exactly this.
  const document = JSON.parse(row.document) as Developer;
  const { sealer, principal: { org_id } } = ctx;
  return withoutSecretFields(
    JSON.stringify(openDeveloper(sealer, org_id, row.id, document, row.secrets)),
  );
}

/** Whether the row's text shows this caller a secret. */
function answersSecrets(ctx: AccountContext, { secrets }: DeveloperRow): boolean {
  return secrets !== null && opensSecrets(ctx);
}

function opensSecrets(ctx: AccountContext): boolean {
  return !ctx.settings.maskSecrets && may(ctx.principal, "secrets");
}
