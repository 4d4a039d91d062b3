import type { RequestContext } from "../../calls/context.ts";
import { actorOf, type Idempotency, idempotentCall, may } from "../../calls/principal.ts";
import { keptAnswer } from "../../changes/idempotent-answers.ts";
import { Answer, type Pieces } from "../../kernel/answer.ts";
import { Failure } from "../../kernel/failure.ts";
import { newId } from "../../kernel/ids.ts";
import { filtered, pagedList } from "../../kernel/paged-list.ts";
import { isForeignHash } from "../../kernel/passwords/foreign-hash.ts";
import type { Passwords } from "../../kernel/passwords/passwords.ts";
import { countedPage } from "../../storage/list-counts.ts";
import {
  developerCounter,
  type DeveloperRow,
  developersAfter,
  findDeveloper,
  findDeveloperByEmail,
  findDeveloperBySsoKey,
  firstDevelopers,
  greatestForeignCost,
  pageOfDevelopers,
} from "../developers/developer-accounts.store.ts";
import { type Developer, emailKey, ssoKeyHash } from "../developers/developer.ts";
import { shownDeveloper } from "../developers/developer-text.ts";
import { developerExists, openDeveloper } from "../developers/developers.store.ts";
import { newEmailLinks } from "../developers/email-proof.ts";
import { settleSsoKeys } from "../developers/sso-keys.service.ts";
import type { KeysChoice } from "../keys/end-keys.transactions.ts";
import { coverageOfCaller } from "../plans/coverage.ts";
import { plansOpening } from "../plans/every-plan.store.ts";
import { type AccountInput, newAccount } from "./account.ts";
import { type Called, refuseWeakPassword } from "./password-rules.ts";
import { removeDeveloper } from "./deleted-developers.service.ts";
import { listWithin, seenDeveloper } from "./within-scope.service.ts";
import {
  changePassword,
  createAccount,
  noteSignIn,
  replaceAccount,
} from "./developer-accounts.transactions.ts";

type SentAccount = AccountInput & { password?: string | undefined };

/** What a service needs that hashes and checks passwords. */
export interface WithPasswords {
  readonly passwords: Passwords;
}

/** The context of developers' accounts. */
export type AccountContext = RequestContext & WithPasswords;

/** A page of developers, or all of them as a stream whose memory stays flat. */
export async function list(
  ctx: AccountContext,
  p: number | undefined,
): Promise<Answer<string | Pieces>> {
  const { storage: { reader }, principal: { org_id }, settings: { pageSize } } = ctx;
  const coverage = await coverageOfCaller(reader, ctx.principal);
  if (coverage) return await pagedList(listWithin(ctx, coverage), p, pageSize);
  return await listed(ctx, (showRow) =>
    pagedList(
      {
        page: (offset, limit) =>
          countedPage({ counter: developerCounter, db: reader, org_id, offset }, {
            first: () => firstDevelopers(reader, org_id, limit),
            from: (position) => pageOfDevelopers(reader, org_id, position, limit),
          }),
        after: (last, limit) => developersAfter(reader, org_id, last, limit),
        show: showRow,
      },
      p,
      pageSize,
    ));
}

/**
 * A list of rows that are shown as it is told; whether a secret stands in it is known where it was
 * made before it is sent.
 */
async function listed(
  ctx: AccountContext,
  make: (showRow: (row: DeveloperRow) => string) => Promise<Answer<string | Pieces>>,
): Promise<Answer<string | Pieces>> {
  let secrets = 0;
  const { body, headers, status } = await make((row) => {
    if (showsSecrets(ctx, row)) secrets++;
    return show(ctx, row);
  });
  return new Answer(body, headers, status, false, typeof body === "string" && secrets === 0);
}

/** Developers that a page of those of an API looks at; "everything" knows no bound. */
const LOOKED_AT = 10_000;

/**
 * The developers whose `keys` name a plan that opens an API; `-`: any plan. Pages are those of the
 * newest 10,000.
 */
export async function listOfApi(
  ctx: AccountContext,
  api: string,
  p: number | undefined,
): Promise<Answer<string | Pieces>> {
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
    (showRow) => pagedList(filtered(after, isTheirs, LOOKED_AT, showRow), p, pageSize),
  );
}

/** One developer. Throws `not_found`. */
export async function get(ctx: AccountContext, id: string): Promise<Answer<string>> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  return await answer(ctx, await findDeveloper(reader, { org_id, id }));
}

/** The developer with this e-mail address, in whatever case it is written. Throws `not_found`. */
export async function getByEmail(ctx: AccountContext, email: string): Promise<Answer<string>> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const row = await findDeveloperByEmail(reader, { org_id, email_key: emailKey(email) });
  return await answer(ctx, row);
}

/**
 * The developer with this sso_key, exactly as it was set. Throws `not_found`, and `unavailable`
 * while developers that were there before look-ups by it are still being brought in.
 */
export async function getBySsoKey(ctx: AccountContext, sso_key: string): Promise<Answer<string>> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const hash = ssoKeyHash(sso_key);
  const row = await findDeveloperBySsoKey(reader, { org_id, hash });
  if (row) return await answer(ctx, row);
  // Whoever is told of nobody registers a second one.
  await settleSsoKeys(ctx);
  return await answer(ctx, await findDeveloperBySsoKey(reader, { org_id, hash }));
}

/**
 * Registers a developer and gives the id. Throws `email_taken`, `sso_key_taken`,
 * `developer_exists`, `developer_refused`, `too_many_requests`.
 */
export async function create(
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
export async function update(ctx: AccountContext, id: string, input: SentAccount): Promise<void> {
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

/** Deletes a developer; see removeDeveloper. */
export async function remove(ctx: AccountContext, id: string, keys: KeysChoice): Promise<void> {
  await removeDeveloper(ctx, { id, keys, ifMatch: null, mayEnd: true });
}

/** Sets a password. Throws `unknown_developer`, `developer_refused` and `too_many_requests`. */
export async function setPassword(
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

/**
 * The id of the developer whose e-mail address and password these are. Throws `wrong_credentials`,
 * after the same work, for an unknown address, a wrong password, none, and an inactive developer;
 * `too_many_requests` while `address`, the visitor's, or the user name has to wait.
 */
export async function verifyCredentials(
  ctx: AccountContext,
  input: { username: string; password: string },
  address: string | undefined,
): Promise<string> {
  const { storage, principal } = ctx;
  const key = emailKey(input.username);
  const attempt = ctx.attempts.begin({ address, name: `${principal.org_id} ${key}` });
  let known = "";
  try {
    const row = await findDeveloperByEmail(storage.reader, {
      org_id: principal.org_id,
      email_key: key,
    });
    known = row?.id ?? "";
    // Asked for whoever signs in: else the time would say who has a hash of bcrypt, and so who
    // exists.
    const cost = await greatestForeignCost(storage.reader, principal.org_id);
    const matches = await ctx.passwords.matches(input.password, row?.password_hash ?? null, cost);
    if (!row || !matches) throw new Failure("wrong_credentials");
    const rehashed = await rehashedOf(ctx, input.password, row.password_hash);
    const actor = actorOf(principal, ctx.clock.now());
    if (!await storage.commit(noteSignIn, { actor, id: row.id, rehashed })) {
      throw new Failure("wrong_credentials");
    }
    attempt.succeeded();
    return row.id;
  } catch (error) {
    // The store was away or too many passwords were being hashed: nobody was told anything.
    if (!(error instanceof Failure && error.code === "wrong_credentials")) attempt.withdrawn();
    else {
      attempt.failed();
      ctx.notes.refusedDeveloper(principal, known);
    }
    throw error;
  }
}

/**
 * Our own hash in the place of one that an import brought, now that the password is at hand; null:
 * it stays.
 */
async function rehashedOf(
  ctx: AccountContext,
  password: string,
  stored: string | null,
): Promise<{ from: string; to: string } | null> {
  if (stored === null || !isForeignHash(stored)) return null;
  try {
    return { from: stored, to: await ctx.passwords.hash(password) };
  } catch (error) {
    // Too many wait: whoever has signed in is let in, and the next sign-in does it.
    if (error instanceof Failure && error.code === "too_many_requests") return null;
    throw error;
  }
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
  if (within) return new Answer(shownDeveloper(JSON.stringify(within.developer)));
  return new Answer(show(ctx, row), {}, 200, false, !showsSecrets(ctx, row));
}

function show(ctx: AccountContext, row: DeveloperRow): string {
  if (row.secrets === null || !showsSecrets(ctx, row)) return shownDeveloper(row.document);
  ctx.notes.secretsRead(ctx.principal, "developer", 1);
  // as: the developers' store writes exactly this.
  const document = JSON.parse(row.document) as Developer;
  const { sealer, principal: { org_id } } = ctx;
  return shownDeveloper(
    JSON.stringify(openDeveloper(sealer, org_id, row.id, document, row.secrets)),
  );
}

/** Whether the row's text shows this caller a secret. */
function showsSecrets(ctx: AccountContext, { secrets }: DeveloperRow): boolean {
  return secrets !== null && opensSecrets(ctx);
}

function opensSecrets(ctx: AccountContext): boolean {
  return !ctx.settings.maskSecrets && may(ctx.principal, "secrets");
}
