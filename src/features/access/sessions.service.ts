import type { z } from "zod";
import type { RequestContext, ServiceContext } from "../../calls/context.ts";
import {
  actingCall,
  actorOf,
  effectivePermissions,
  type Principal,
  type PrincipalSession,
} from "../../calls/principal.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { newId, randomAlphanumeric } from "../../kernel/ids.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { isInForce, isMistyped } from "./access-token.ts";
import { findAccessToken, findTokenByHash } from "./access-tokens.store.ts";
import { addressesOf, opensFrom } from "./address-list.ts";
import { operator } from "./operator.transactions.ts";
import { findOrganisation } from "./organisations.store.ts";
import { findPerson } from "./people.store.ts";
import { csrfTokenOf, isOpen, lastUseOf } from "./session.ts";
import type { caller, ownSession, session } from "./sessions.contract.ts";
import { findTokenOfCode, sessionsOf } from "./sessions.store.ts";
import {
  addSignInCode,
  endSession,
  endSessions,
  type Presented,
  signIn,
  signOut,
} from "./sessions.transactions.ts";
import type { WithTokenUses } from "./token-uses.ts";

type Session = z.output<typeof session>;

/** What a sign-in presents: exactly one of both. */
export interface SignInInput {
  credential?: string | undefined;
  code?: string | undefined;
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
}

/**
 * Makes a session and gives its secret, which belongs into the cookie and nowhere else: always a
 * fresh one, so that nobody can have planted it. Throws `not_authorised`, and `too_many_requests`
 * where the address or what is presented was wrong often.
 */
export async function start(
  ctx: RequestContext & WithTokenUses,
  input: SignInInput,
  from: SigningBrowser,
): Promise<{ session: Session; secret: string }> {
  const { storage, clock, settings } = ctx;
  const now = clock.now();
  const presented = presentedBy(input);
  const refusal = () => refusalOf(ctx, presented, from.counted);
  if (ctx.attempts.isWrong("access", hashOf(presented))) throw refusal();
  const hash = "code" in presented
    ? await findTokenOfCode(storage.reader, { hash: presented.code, now: toTimestamp(now) })
    : presented.credential;
  // Looked up before the transaction, so that guessing writes nothing.
  const token = hash === undefined || isMistyped(input.credential ?? "")
    ? undefined
    : await findTokenByHash(storage.reader, { hash });
  if (!token || !isInForce(token, now)) throw refusal();
  if (!opensFrom(addressesOf(token), from.exact)) {
    ctx.tokenUses.refused({ ...token, token_id: token.id }, ctx.principal.origin);
    // Not counted by what is presented, or whoever has a copy could make its holder wait.
    throw ctx.attempts.failed("access", { address: from.counted }) ??
      new Failure("not_authorised");
  }
  // It could not even ask who it is.
  const permissions = effectivePermissions(token.permissions, token.scope);
  if (permissions.length === 0) {
    noteRefusal(ctx, presented);
    throw new Failure("access_denied");
  }
  const secret = randomAlphanumeric(SECRET_LENGTH);
  const id = newId(now);
  const { expires_at } = await storage.commit(signIn, {
    presented,
    session: { id, hash: sha256(secret), browser: browserName(from.userAgent) },
    replaces: from.before === undefined ? null : sha256(from.before),
    idleMs: settings.sessionIdleMs,
    now,
    call: actingCall(ctx.principal),
  });
  const { org_id, user_id, id: token_id } = token;
  const made = { id, csrf_token: csrfTokenOf(secret), expires_at, isFresh: true };
  const { origin } = ctx.principal;
  const principal = { org_id, user_id, token_id, permissions, session: made, origin };
  return { session: await show(ctx, principal), secret };
}

/** Every sign-in that fails ends here, and counts: by the address, and by what was presented. */
function refusalOf(
  ctx: RequestContext,
  presented: Presented,
  address: string | undefined,
): Failure {
  const { attempts } = ctx;
  const failure = attempts.failed("access", { address, credential: hashOf(presented) }) ??
    new Failure("not_authorised");
  noteRefusal(ctx, presented, failure.code === "too_many_requests");
  return failure;
}

function noteRefusal(
  { notes, principal }: RequestContext,
  presented: Presented,
  limited = false,
): void {
  const what = "code" in presented
    ? { by: "code" }
    : { by: "credential", presented: presented.credential };
  notes.refusedSignIn(principal, { path: "/v1/session", ...what, limited });
}

function hashOf(presented: Presented): string {
  return "code" in presented ? presented.code : presented.credential;
}

/** The caller's session. Throws `not_found` for a call by access token. */
export async function get(ctx: RequestContext): Promise<Session> {
  return await show(ctx, ctx.principal);
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
    data: open.map((row) => ({
      id: row.id,
      current: row.id === current.id,
      browser: row.browser ?? "",
      date_created: row.created_at,
      last_used_at: toTimestamp(lastUseOf(row)),
      expires_at: row.expires_at,
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

/** Whoever calls. */
export async function whoCalls(ctx: RequestContext): Promise<z.output<typeof caller>> {
  const { principal, storage: { reader } } = ctx;
  const token = await findAccessToken(reader, { org_id: principal.org_id, id: principal.token_id });
  if (!token) throw new Failure("not_authorised");
  const { id, name, expires_at } = token;
  return { ...await whoIs(ctx, principal), credential: { id, name, expires_at } };
}

/**
 * A fresh code that signs in once, within ten minutes, as the holder of this access token. For the
 * terminal of whoever runs the server. Throws `not_found` where the access token is not in force.
 */
export async function newSignInCode(
  ctx: ServiceContext,
  org_id: string,
  token_id: string,
): Promise<string> {
  const code = randomAlphanumeric(SECRET_LENGTH);
  const actor = operator(org_id, ctx.clock.now());
  await ctx.storage.commit(addSignInCode, { actor, token_id, hash: sha256(code) });
  return code;
}

function presentedBy({ credential, code }: SignInInput): Presented {
  return code === undefined ? { credential: sha256(credential ?? "") } : { code: sha256(code) };
}

async function show(ctx: ServiceContext, principal: Principal): Promise<Session> {
  const { csrf_token, expires_at, isFresh } = sessionOf(principal);
  return {
    ...await whoIs(ctx, principal),
    csrf_token,
    expires_at,
    idle_minutes: ctx.settings.sessionIdleMs / 60_000,
    fresh: isFresh,
  };
}

async function whoIs({ storage: { reader } }: ServiceContext, principal: Principal) {
  const { org_id, user_id, permissions } = principal;
  const person = await findPerson(reader, { org_id, id: user_id });
  const organisation = await findOrganisation(reader, { org_id });
  return {
    person: { id: user_id, name: person?.name ?? "" },
    organisation: { id: org_id, name: organisation?.name ?? "" },
    permissions: [...permissions],
  };
}

/** The session that the caller comes by. Throws `not_found` for a call by access token. */
function sessionOf({ session }: Principal): PrincipalSession {
  if (session) return session;
  throw new Failure("not_found", { message: "This call comes by access token, not by session." });
}

/** Longer ones are not looked at. */
const LONGEST_USER_AGENT = 1024;

/** What a browser calls itself by, the more special first: nearly all say Safari too. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\b(?:OPR|Opera|OPiOS)\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|HeadlessChrome|CriOS|Chromium)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];

/** The same of systems; iPhones say that they are like Mac OS X, Androids that they are Linux. */
const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b|\bMacintosh\b/, "macOS"],
  [/\bLinux\b|\bX11\b/, "Linux"],
];

/**
 * A browser in words out of its `User-Agent`, such as "Firefox on Linux"; only these words are ever
 * kept of it.
 */
export function browserName(userAgent: string | null): string {
  const text = userAgent !== null && userAgent.length <= LONGEST_USER_AGENT ? userAgent : "";
  const browser = wordFor(browsers, text);
  const system = wordFor(systems, text);
  if (browser === undefined) return system === undefined ? "" : `A browser on ${system}`;
  return system === undefined ? browser : `${browser} on ${system}`;
}

function wordFor(words: readonly (readonly [RegExp, string])[], text: string): string | undefined {
  return words.find(([pattern]) => pattern.test(text))?.[1];
}
