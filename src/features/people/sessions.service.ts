import type { z } from "zod";
import type { RequestContext, ServiceContext } from "../../calls/context.ts";
import {
  actingCall,
  actorOf,
  effectivePermissions,
  type Principal,
  scopeOf,
} from "../../calls/principal.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { newId, randomAlphanumeric } from "../../kernel/ids.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { isInForce, isMistyped } from "./access-token.ts";
import { browserName } from "./browser-name.ts";
import { findAccessToken, findTokenByHash } from "./access-tokens.store.ts";
import { addressesOf, opensFrom } from "./address-list.ts";
import { sessionOf } from "./session-of.ts";
import { operator } from "./operator.transactions.ts";
import { findOrganisation } from "./organisations.store.ts";
import { isInSteps } from "./sessions.store.ts";
import { isMoving } from "./moving.store.ts";
import { findPerson } from "./people.store.ts";
import type { PersonRow } from "./person.ts";
import { provedPasskey } from "./passkeys.service.ts";
import type { Assertion } from "./passkey-proof.ts";
import { besideCode } from "./second-factor.service.ts";
import { csrfTokenOf, isOpen, spansOf, toSession } from "./session.ts";
import { findSignaturesRule, findTokensRule } from "./sign-in-rules.store.ts";
import type { SessionOpener } from "../../contract/session-openers.ts";
import type { caller, ownSession, session, signInPreview } from "./sessions.contract.ts";
import { findTokenOfCode, sessionsOf } from "./sessions.store.ts";
import {
  addSignInCode,
  endSession,
  endSessions,
  openerOfPresented,
  type Presented,
  type SignedIn,
  signIn,
  type SignInInput as SigningIn,
  signOut,
} from "./sessions.transactions.ts";
import type { WithTokenUses } from "./token-uses.ts";

type Session = z.output<typeof session>;

/** The credentials of a sign-in: exactly one of them. */
interface SignInInput {
  access_token?: string | undefined;
  code?: string | undefined;
  passkey?: Assertion | undefined;
  /** Beside an access token alone. */
  one_time_code?: string | undefined;
}

/** So many letters and digits of a session's secret, and of a code, are 256 bits. */
const SECRET_LENGTH = 43;

/** The browser that signs in, and from where. */
export interface SigningBrowser {
  /** The address as it is counted by, and whole. Both are undefined in process. */
  counted: string | undefined;
  exact: string | undefined;
  userAgent: string | null;
  /** The secret of the session that it had until now, which ends. */
  before: string | undefined;
  /** The ticket of the challenge that its passkey answers. */
  ticket: string | undefined;
  /** The address that it came by. */
  host: string | null;
}

/** A session that has begun, with its secret and how long its cookie lasts, in milliseconds. */
export interface Begun {
  session: Session;
  secret: string;
  lifeMs: number;
}

/**
 * Makes a session and gives its secret, which belongs into the cookie and nowhere else: always a
 * fresh one, so that no one can have planted it. Throws `not_authorised`, `sign_in_by_token_off`,
 * `one_time_code_required`, `one_time_code_refused`, `second_factor_required`, and
 * `too_many_requests` where the address or what is presented was wrong often.
 */
export async function start(
  ctx: RequestContext & WithTokenUses,
  input: SignInInput,
  from: SigningBrowser,
): Promise<Begun> {
  if (input.passkey === undefined) return await startBySecret(ctx, input, from);
  const proved = await provedPasskey(ctx, input.passkey, from);
  if (proved === undefined) throw refusedPasskey(ctx, from.counted);
  return await begin(ctx, { passkey: proved }, from);
}

/**
 * Whom a code would sign in; it stays as it is. Throws `not_found`, and `too_many_requests` where
 * the address was wrong often.
 */
export async function preview(
  ctx: RequestContext,
  text: string,
  address: string | undefined,
): Promise<z.output<typeof signInPreview>> {
  const { storage: { reader }, clock } = ctx;
  const now = clock.now();
  const code = sha256(text);
  const refused = () =>
    ctx.attempts.failed("access", { address, credential: code }) ?? new Failure("not_found");
  if (ctx.attempts.isWrong("access", code)) throw refused();
  const hash = await findTokenOfCode(reader, { hash: code, now: toTimestamp(now) });
  const token = hash === undefined ? undefined : await findTokenByHash(reader, { hash });
  if (!token || !isInForce(token, now)) throw refused();
  const { org_id, user_id } = token;
  const person = await findPerson(reader, { org_id, id: user_id });
  const organisation = await findOrganisation(reader, { org_id });
  return {
    person: { id: user_id, name: person?.name ?? "" },
    organisation: { id: org_id, name: organisation?.name ?? "" },
  };
}

async function startBySecret(
  ctx: RequestContext & WithTokenUses,
  input: Omit<SignInInput, "passkey">,
  from: SigningBrowser,
): Promise<Begun> {
  const { storage: { reader }, clock } = ctx;
  const now = clock.now();
  const { one_time_code = null } = input;
  const presented = presentedBy(input);
  const refusal = () => refusalOf(ctx, presented, from.counted);
  if (ctx.attempts.isWrong("access", hashOf(presented))) throw refusal();
  const hash = "code" in presented
    ? await findTokenOfCode(reader, { hash: presented.code, now: toTimestamp(now) })
    : presented.credential;
  // Looked up before the transaction, so that guessing writes nothing.
  const token = hash === undefined || isMistyped(input.access_token ?? "")
    ? undefined
    : await findTokenByHash(reader, { hash });
  if (!token || !isInForce(token, now)) throw refusal();
  if (!opensFrom(addressesOf(token), from.exact)) {
    ctx.tokenUses.refused({ ...token, token_id: token.id }, ctx.principal.origin);
    // Not counted by what is presented, or anyone who has a copy could make its holder wait.
    throw ctx.attempts.failed("access", { address: from.counted }) ??
      new Failure("not_authorised");
  }
  // It could not even ask who it is.
  if (effectivePermissions(token.permissions, token.scope).length === 0) {
    noteDeniedCall(ctx, presented);
    throw new Failure("access_denied");
  }
  // A link of the machine's lets in whatever is set.
  if ("code" in presented) return await begin(ctx, presented, from);
  if (await findTokensRule(reader, { org_id: token.org_id }) === 0) {
    noteDeniedCall(ctx, presented);
    throw new Failure("sign_in_by_token_off");
  }
  const owner = { org_id: token.org_id, user_id: token.user_id };
  const beside = { code: one_time_code, address: from.counted };
  const whole = { ...presented, one_time_code };
  try {
    return await besideCode(ctx, owner, beside, () => begin(ctx, whole, from));
  } catch (error) {
    noteSecond(ctx, error, "/v1/session", presented.credential);
    throw error;
  }
}

/** The errors of a sign-in whose first factor is right. */
const SECOND = ["one_time_code_refused", "second_factor_required", "too_many_requests"];

/** Notes that; not that a code is asked for, which each such sign-in begins with. */
export function noteSecond(
  { notes, principal }: RequestContext,
  error: unknown,
  path: string,
  presented?: string,
): void {
  if (!(error instanceof Failure) || !SECOND.includes(error.code)) return;
  const limited = error.code === "too_many_requests";
  notes.refusedSignIn(principal, { path, by: "one_time_code", presented, limited });
}

/** Makes the session of what was looked at before. Throws `not_authorised`. */
export async function begin(
  ctx: RequestContext,
  presented: Presented,
  from: SigningBrowser,
): Promise<Begun> {
  const { secret, input } = beginning(ctx, from);
  const signedIn = await ctx.storage.commit(signIn, { ...input, presented });
  const opener = openerOfPresented(presented);
  return await begun(ctx, signedIn, { id: input.session.id, secret, opener, isFresh: true });
}

/** A session's secret, and what a transaction needs to make the session. */
export function beginning(
  { clock, settings, principal }: RequestContext,
  from: SigningBrowser,
): { secret: string; input: Omit<SigningIn, "presented"> } {
  const now = clock.now();
  const secret = randomAlphanumeric(SECRET_LENGTH);
  const input = {
    session: { id: newId(now), hash: sha256(secret), browser: browserName(from.userAgent) },
    network: from.counted ?? "",
    replaces: from.before === undefined ? null : sha256(from.before),
    idleMs: settings.sessionIdleMs,
    now,
    call: actingCall(principal),
  };
  return { secret, input };
}

/** A session that a transaction has made, as its browser gets it. Throws `not_authorised`. */
export async function begun(
  ctx: RequestContext,
  { org_id, user_id, token_id, expires_at }: SignedIn,
  made: { id: string; secret: string; opener: SessionOpener; isFresh: boolean },
): Promise<Begun> {
  const { storage, settings } = ctx;
  const { id, secret, opener: opened_by, isFresh } = made;
  const token = await findAccessToken(storage.reader, { org_id, id: token_id });
  if (!token) throw new Failure("not_authorised");
  const permissions = effectivePermissions(token.permissions, token.scope);
  const session = { id, csrf_token: csrfTokenOf(secret), expires_at, isFresh, opened_by };
  const { origin } = ctx.principal;
  const who = { org_id, user_id, token_id, permissions, ...scopeOf(token) };
  const principal = { ...who, session, origin };
  const { lifeMs } = spansOf(opened_by, settings.sessionIdleMs);
  return { session: await serialize(ctx, principal), secret, lifeMs };
}

/**
 * The refusal of a wrong passkey. It counts by the address alone: others who know the id of a
 * passkey could make its owner wait.
 */
function refusedPasskey(ctx: RequestContext, address: string | undefined): Failure {
  const failure = ctx.attempts.failed("access", { address }) ?? new Failure("not_authorised");
  const limited = failure.code === "too_many_requests";
  ctx.notes.refusedSignIn(ctx.principal, { path: "/v1/session", by: "passkey", limited });
  return failure;
}

/** Every sign-in that fails ends here, and counts: by the address, and by what was presented. */
function refusalOf(
  ctx: RequestContext,
  presented: BySecret,
  address: string | undefined,
): Failure {
  const { attempts } = ctx;
  const failure = attempts.failed("access", { address, credential: hashOf(presented) }) ??
    new Failure("not_authorised");
  noteDeniedCall(ctx, presented, failure.code === "too_many_requests");
  return failure;
}

function noteDeniedCall(
  { notes, principal }: RequestContext,
  presented: BySecret,
  limited = false,
): void {
  const what = "code" in presented
    ? { by: "code" }
    : { by: "credential", presented: presented.credential };
  notes.refusedSignIn(principal, { path: "/v1/session", ...what, limited });
}

/** An access token or a code, by its hash. */
type BySecret = { credential: string } | { code: string };

function hashOf(presented: BySecret): string {
  return "code" in presented ? presented.code : presented.credential;
}

/** The caller's session. Throws `not_found` for a call by access token. */
export async function get(ctx: RequestContext): Promise<Session> {
  return await serialize(ctx, ctx.principal);
}

/** Ends the caller's session. Throws `not_found` for a call by access token. */
export async function end(ctx: RequestContext): Promise<void> {
  const { principal, storage, clock } = ctx;
  const { id } = sessionOf(principal);
  await storage.commit(signOut, { actor: actorOf(principal, clock.now()), id });
}

/** The caller's sessions, newest first. Throws `not_found` for a call by access token. */
export async function list(
  ctx: RequestContext,
): Promise<{ data: z.output<typeof ownSession>[] }> {
  const { principal, storage: { reader }, clock, settings } = ctx;
  const current = sessionOf(principal);
  const now = clock.now();
  const rows = await sessionsOf(reader, { org_id: principal.org_id, user_id: principal.user_id });
  const open = rows.filter((row) => isOpen(row, now, settings.sessionIdleMs));
  return {
    data: open.map(toSession).map(({ id, ...more }) => ({
      id,
      current: id === current.id,
      ...more,
    })),
  };
}

/** Ends one of the caller's sessions; true where it is this call's own. Throws `not_found`. */
export async function endOne(ctx: RequestContext, id: string): Promise<boolean> {
  const current = sessionOf(ctx.principal);
  const actor = actorOf(ctx.principal, ctx.clock.now());
  await ctx.storage.commit(endSession, { actor, id, idleMs: ctx.settings.sessionIdleMs });
  return id === current.id;
}

/**
 * Ends all sessions of the caller, and tells how many there were. Throws `not_found` for a call by
 * access token.
 */
export async function endAll(ctx: RequestContext): Promise<number> {
  sessionOf(ctx.principal);
  const actor = actorOf(ctx.principal, ctx.clock.now());
  return await ctx.storage.commit(endSessions, { actor, idleMs: ctx.settings.sessionIdleMs });
}

/** The caller. */
export async function whoCalls(ctx: RequestContext): Promise<z.output<typeof caller>> {
  const { principal, storage: { reader } } = ctx;
  const token = await findAccessToken(reader, { org_id: principal.org_id, id: principal.token_id });
  if (!token) throw new Failure("not_authorised");
  const { id, name, expires_at } = token;
  const person = await findPerson(reader, { org_id: principal.org_id, id: principal.user_id });
  return { ...await whoIs(ctx, principal, person), access_token: { id, name, expires_at } };
}

/**
 * A fresh code that signs in once, within ten minutes, as the holder of this access token, or as
 * this person. For the terminal of the person who runs the server. Throws `not_found` where they
 * can't sign in.
 */
export async function newSignInCode(
  ctx: ServiceContext,
  org_id: string,
  of: { token_id: string } | { person_id: string },
): Promise<string> {
  const code = randomAlphanumeric(SECRET_LENGTH);
  const actor = operator(org_id, ctx.clock.now());
  await ctx.storage.commit(addSignInCode, { actor, ...of, hash: sha256(code) });
  return code;
}

function presentedBy({ access_token, code }: Omit<SignInInput, "passkey">): BySecret {
  return code === undefined ? { credential: sha256(access_token ?? "") } : { code: sha256(code) };
}

async function serialize(ctx: ServiceContext, principal: Principal): Promise<Session> {
  const { csrf_token, expires_at, isFresh, opened_by = "token" } = sessionOf(principal);
  const { storage: { reader } } = ctx;
  const { org_id, user_id, temporaryAccess } = principal;
  const person = await findPerson(reader, { org_id, id: user_id });
  return {
    ...await whoIs(ctx, principal, person),
    csrf_token,
    expires_at,
    signed_in_by: opened_by,
    idle_minutes: spansOf(opened_by, ctx.settings.sessionIdleMs).idleMs / 60_000,
    fresh: isFresh,
    temporary_access: temporaryAccess
      ? { id: temporaryAccess.id, expires_at: temporaryAccess.expires_at }
      : null,
    approvals_closed: await findSignaturesRule(reader, { org_id }) === 1,
    in_steps: await isInSteps(reader, org_id, person),
    moving: await isMoving(reader, { org_id }),
  };
}

async function whoIs(
  { storage: { reader } }: ServiceContext,
  principal: Principal,
  person: PersonRow | undefined,
) {
  const { org_id, user_id, permissions } = principal;
  const organisation = await findOrganisation(reader, { org_id });
  return {
    person: { id: user_id, name: person?.name ?? "" },
    organisation: { id: org_id, name: organisation?.name ?? "" },
    permissions: [...permissions],
    scope: principal.covers ?? null,
  };
}
