import type { z } from "zod";
import type { ReceivedHeaders } from "../../../../packages/http-listener/request.ts";
import type { RequestContext } from "../../../calls/context.ts";
import { actingCall, actorOf, callingDeveloper } from "../../../calls/principal.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { newId, randomAlphanumeric } from "../../../kernel/ids.ts";
import { acceptedLanguage, languageOf } from "../../../kernel/languages.ts";
import { sha256 } from "../../../kernel/sha256.ts";
import { browserName } from "../../people/browser-name.ts";
import { findConfiguration } from "../../plans/catalogue/catalogue.store.ts";
import { findTokenName } from "../../people/access-tokens.store.ts";
import { findFirstOrganisation } from "../../people/organisations.store.ts";
import {
  type AccountContext,
  verifyCredentials,
} from "../../accounts/developer-accounts.service.ts";
import { findDeveloper, findDeveloperByEmail } from "../../developers/developer-accounts.store.ts";
import { emailKey } from "../../developers/developer.ts";
import { nameOfDeveloper } from "../../developers/developer-names.ts";
import { emailIn } from "../../developers/developer-text.ts";
import { pagesUrl } from "../../people/pages-url.ts";
import { requireUsableEmail } from "../../developers/email-address.ts";
import { pagesAt, pagesOf } from "./developer-pages.ts";
import {
  developerCsrfToken,
  type DeveloperSessionRow,
  isFreshOwn,
  isOpenSession,
  toSession,
} from "./developer-session.ts";
import { developerSessionsOf, findDeveloperSession } from "./developer-sessions.store.ts";
import {
  endDeveloperSession,
  endDeveloperSessions,
  keepLink,
  signInByLink,
  signInByNonce,
  signInByPassword,
} from "./developer-sessions.transactions.ts";
import type { NewDeveloperSession } from "./open-session.transactions.ts";
import { CODE_LIFE_MS, newCode } from "../../developers/sign-in-code.ts";
import { askForCode, type CodeFor, enterCode, enterProof } from "./sign-in-codes.transactions.ts";
import { openedAccount } from "./pending-account.ts";
import { requireSignUpFields, signUpFieldsIn } from "./sign-up-fields.ts";
import type { codeTicket, developerSession, developerSignInInput } from "./sign-in.contract.ts";

type Session = z.output<typeof developerSession>;
type Ticket = z.output<typeof codeTicket>;

/** So many letters and digits are 256 bits. */
const SECRET_LENGTH = 43;
/** How long a link of a back end signs in. */
const LINK_MS = 60_000;

/** The unauthenticated caller, and their origin. */
export interface Visitor {
  readonly headers: ReceivedHeaders;
  /** The address as it is counted by; undefined in process. */
  readonly address: string | undefined;
  /** The language that they chose for these pages; undefined: by their browser. */
  readonly language?: string;
  /** The secret of the session that the browser had until now, which ends. */
  readonly before?: string;
  /** An account at a provider that they proved and sign up with, as sealedAccount gave it. */
  readonly account?: string;
}

/**
 * Has a code mailed to anyone who may sign in, or up, with the address. Throws `not_found` where
 * there are no pages, `invalid_input` for what is no address, `too_many_requests`.
 */
export async function askCode(
  ctx: RequestContext,
  email: string,
  { headers, address, language }: Visitor,
): Promise<Ticket> {
  const { org_id } = await pagesAt(ctx, headers);
  requireUsableEmail(email);
  const wait = ctx.attempts.failed("code", { address });
  if (wait) throw wait;
  const reads = languageOf(language ?? "") ?? acceptedLanguage(headers.get("accept-language")) ??
    "";
  return await askCodeFor(ctx, org_id, { email }, { from: address ?? "", language: reads });
}

/** Has a code mailed to the developer of a session. Throws `not_found` for a token. */
export async function askProof(ctx: RequestContext): Promise<Ticket> {
  const { id: developer_id } = callingDeveloper(ctx.principal);
  const session_id = ownSession(ctx).id;
  requireOwnEyes(ctx);
  return await askCodeFor(ctx, ctx.principal.org_id, { developer_id, session_id });
}

/** Keeps a code for whom it is asked, and gives its ticket. */
export async function askCodeFor(
  ctx: RequestContext,
  org_id: string,
  codeFor: CodeFor,
  { from, language } = { from: ctx.principal.session?.id ?? "", language: "" },
): Promise<Ticket> {
  const now = ctx.clock.now();
  const code = newCode(now);
  const call = actingCall(ctx.principal);
  const asked_from = from === "" ? "" : sha256(`${org_id}\0${from}`);
  await ctx.storage.commit(askForCode, {
    org_id,
    asked_from,
    for: codeFor,
    language,
    code,
    now,
    call,
  });
  return { ticket: code.ticket, expires_at: toTimestamp(now + CODE_LIFE_MS) };
}

/**
 * Signs a developer in and gives the session with its secret, which belongs into the cookie and
 * nowhere else: always a fresh one, so that no one can have planted it. Throws `wrong_code`,
 * `wrong_credentials`, `not_authorised`, `not_found` where there are no pages, `too_many_requests`.
 */
export async function signIn(
  ctx: AccountContext,
  input: z.output<NonNullable<typeof developerSignInInput>>,
  visitor: Visitor,
): Promise<{ session: Session; secret: string; lifeMs: number }> {
  const { headers, address } = visitor;
  const { org_id, pages } = await pagesAt(ctx, headers);
  const now = ctx.clock.now();
  const secret = randomAlphanumeric(SECRET_LENGTH);
  const session: NewDeveloperSession = {
    id: newId(now),
    hash: sha256(secret),
    browser: browserName(headers.get("user-agent")),
    replaces: visitor.before === undefined ? null : sha256(visitor.before),
    now,
    call: actingCall(ctx.principal),
  };
  const { storage } = ctx;
  const { ticket, code, fields = {}, email, password, link, nonce } = input;
  if (ticket !== undefined && code !== undefined) {
    // Before the code is used up.
    requireSignUpFields(
      fields,
      signUpFieldsIn(await findConfiguration(storage.reader, { org_id })),
    );
    const credential = sha256(ticket);
    if (ctx.attempts.isWrong("one_time_link", credential)) throw new Failure("wrong_code");
    const proved = openedAccount(ctx.sealer, org_id, visitor.account ?? "", now);
    const account = proved && { account: proved, id: newId(now) };
    const entering = { org_id, ticket, code, fields, session, account };
    const opened = await storage.commit(enterCode, entering);
    if (!opened) {
      throw ctx.attempts.failed("one_time_link", { address, credential }) ??
        new Failure("wrong_code");
    }
  } else if (email !== undefined && password !== undefined) {
    if (!pages.passwords) throw new Failure("not_authorised");
    const principal = { ...ctx.principal, org_id };
    const asVisitor = Object.assign(Object.create(ctx) as AccountContext, { principal });
    const email_key = emailKey(email);
    const known = await findDeveloperByEmail(storage.reader, { org_id, email_key });
    const checked = known?.password_hash ?? "";
    const developer_id = await verifyCredentials(asVisitor, { username: email, password }, address)
      .catch(asNotAuthorised);
    await storage.commit(signInByPassword, { org_id, developer_id, checked, session });
  } else {
    const by = link === undefined ? signInByNonce : signInByLink;
    const hash = sha256(link ?? nonce ?? "");
    const refused = () =>
      ctx.attempts.failed("one_time_link", { address, credential: hash }) ??
        new Failure("not_authorised");
    if (ctx.attempts.isWrong("one_time_link", hash)) throw refused();
    await storage.commit(by, { org_id, hash, session }).catch((error: unknown) => {
      const isWrong = error instanceof Failure && error.code === "not_authorised";
      throw isWrong ? refused() : error;
    });
  }
  const row = await findDeveloperSession(storage.reader, { hash: session.hash });
  if (!row) throw new Failure("not_authorised");
  const view = await serialize(ctx, row, developerCsrfToken(secret));
  return { session: view, secret, lifeMs: Date.parse(row.expires_at) - now };
}

/** At these pages a wrong password reads like anything else that opens nothing. */
function asNotAuthorised(error: unknown): never {
  const isWrong = error instanceof Failure && error.code === "wrong_credentials";
  throw isWrong ? new Failure("not_authorised") : error;
}

/** The caller's session. Throws `not_found` for a token. */
export async function get(ctx: RequestContext, secret: string | undefined): Promise<Session> {
  const { csrf_token } = ownSession(ctx);
  const row = await findDeveloperSession(ctx.storage.reader, { hash: sha256(secret ?? "") });
  if (!row) throw new Failure("not_found");
  return await serialize(ctx, row, csrf_token);
}

/**
 * Enters the code that was mailed for the caller's session. Throws `wrong_code`, and `not_found`
 * for a token.
 */
export async function prove(
  ctx: RequestContext,
  { ticket, code }: { ticket: string; code: string },
  secret: string | undefined,
): Promise<Session> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const { id: developer_id } = callingDeveloper(ctx.principal);
  const session_id = ownSession(ctx).id;
  requireOwnEyes(ctx);
  const input = { actor, developer_id, session_id, ticket, code };
  if (!await ctx.storage.commit(enterProof, input)) throw new Failure("wrong_code");
  return await get(ctx, secret);
}

/** Ends the caller's session. Throws `not_found` for a token. */
export async function end(ctx: RequestContext): Promise<void> {
  await endOne(ctx, ownSession(ctx).id);
}

/**
 * Ends one of the caller's sessions; tells whether it is the one of this call. Throws
 * `access_denied` for a token.
 */
export async function endOne(ctx: RequestContext, id: string): Promise<boolean> {
  requireNoToken(ctx);
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const { id: developer_id } = callingDeveloper(ctx.principal);
  await ctx.storage.commit(endDeveloperSession, { actor, developer_id, id });
  return id === ctx.principal.session?.id;
}

/** Ends all of them, and tells how many. Throws `access_denied` for a token. */
export async function endAll(ctx: RequestContext): Promise<number> {
  requireNoToken(ctx);
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const { id: developer_id } = callingDeveloper(ctx.principal);
  return await ctx.storage.commit(endDeveloperSessions, { actor, developer_id });
}

/** The caller's sessions that open something. */
export async function list({ storage, clock, principal }: RequestContext) {
  const { id: developer_id } = callingDeveloper(principal);
  const { org_id, session } = principal;
  const rows = await developerSessionsOf(storage.reader, { org_id, developer_id });
  const open = rows.filter((row) => isOpenSession(row, clock.now()));
  return open.map(toSession).map(({ id, ...more }) => ({
    id,
    current: id === session?.id,
    ...more,
  }));
}

/**
 * Makes a link that signs a developer in, or lets `viewer`, a person, see. Throws `not_found`.
 */
export async function createLink(
  ctx: RequestContext,
  developer_id: string,
  viewer: string | null = null,
): Promise<{ id: string; token: string; expires_at: string }> {
  const { org_id } = ctx.principal;
  if (!(await pagesOf(ctx.storage.reader, org_id)).enabled) throw new Failure("not_found");
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const token = randomAlphanumeric(SECRET_LENGTH);
  const id = newId(actor.now);
  const link = {
    id,
    hash: sha256(token),
    developer_id,
    token_id: actor.token_id,
    created_at: toTimestamp(actor.now),
    expires_at: toTimestamp(actor.now + LINK_MS),
    viewer,
  };
  await ctx.storage.commit(keepLink, { actor, link });
  return { id, token, expires_at: link.expires_at };
}

/**
 * Makes a link by which the calling person sees a developer's pages as that developer does. Throws
 * `not_found`, also where the pages are nowhere.
 */
export async function createView(ctx: RequestContext, developer_id: string) {
  const { principal: { org_id, user_id }, storage: { reader }, settings } = ctx;
  const at = await pagesUrl(reader, org_id, settings);
  if (at === undefined && (await findFirstOrganisation(reader))?.id !== org_id) {
    throw new Failure("not_found");
  }
  return { ...await createLink(ctx, developer_id, user_id), pages_url: at ?? "" };
}

/** Throws `access_denied` for a person who only sees what the developer does. */
function requireOwnEyes({ principal }: RequestContext): void {
  if (!callingDeveloper(principal).mayChange) throw new Failure("access_denied");
}

/** A token is for keys; who is signed in is the account itself. */
function requireNoToken({ principal }: RequestContext): void {
  if (!principal.session) throw new Failure("access_denied");
}

function ownSession({ principal: { session } }: RequestContext) {
  if (!session) throw new Failure("not_found");
  return session;
}

async function serialize(
  { storage: { reader }, clock }: RequestContext,
  row: DeveloperSessionRow,
  csrf_token: string,
): Promise<Session> {
  const { org_id, developer_id: id, opened_by, opens, token_id, expires_at } = row;
  const developer = await findDeveloper(reader, { org_id, id });
  if (!developer) throw new Failure("not_authorised");
  const { document } = developer;
  return {
    developer: { id, email: emailIn(document), name: nameOfDeveloper(document) },
    csrf_token,
    signed_in_by: opened_by,
    access: opens,
    made_by: token_id === "" ? "" : await findTokenName(reader, { org_id, id: token_id }) ?? "",
    fresh: isFreshOwn(row, clock.now()),
    expires_at,
  };
}
