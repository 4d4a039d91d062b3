import type { z } from "zod";
import type { RequestContext, ServiceContext } from "../../calls/context.ts";
import { actorOf, effectivePermissions, type Principal } from "../../calls/principal.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { newId, randomAlphanumeric } from "../../kernel/ids.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { isInForce, isMistyped } from "./access-token.ts";
import { findOrganisation, findTokenByHash } from "./access.store.ts";
import { operator } from "./access.transactions.ts";
import { addressesOf, opensFrom } from "./address-list.ts";
import { findAccessToken, findPerson } from "./people.store.ts";
import type { caller, session } from "./sessions.contract.ts";
import { findTokenOfCode } from "./sessions.store.ts";
import { addSignInCode, type Presented, signIn, signOut } from "./sessions.transactions.ts";
import { Sessions } from "./sessions.ts";
import type { WithTokenUses } from "./token-uses.ts";

type Session = z.output<typeof session>;

/** What a sign-in presents: exactly one of both. */
export interface SignInInput {
  credential?: string | undefined;
  code?: string | undefined;
}

/** So many letters and digits of a session's secret, and of a code, are 256 bits. */
const SECRET_LENGTH = 43;

/** From where a call comes: as it is counted by, and whole. Both are undefined in process. */
export interface From {
  counted: string | undefined;
  exact: string | undefined;
}

/**
 * Makes a session and gives its secret, which belongs into the cookie and nowhere else: always a fresh one, so
 * that nobody can have planted it. Throws `not_authorised`, and `too_many_requests` where the address or what is
 * presented was wrong often.
 */
export async function start(
  ctx: RequestContext & WithTokenUses,
  input: SignInInput,
  from: From,
): Promise<{ session: Session; secret: string }> {
  const { storage, clock } = ctx;
  const now = clock.now();
  const presented = presentedBy(input);
  const refusal = () => refusalOf(ctx, presented, from.counted);
  if (ctx.attempts.isWrong("access", hashOf(presented))) throw refusal();
  const hash = "code" in presented
    ? await findTokenOfCode(storage.reader, presented.code, toTimestamp(now))
    : presented.credential;
  // Looked up before the transaction, so that guessing writes nothing.
  const token = hash === undefined || isMistyped(input.credential ?? "")
    ? undefined
    : await findTokenByHash(storage.reader, hash);
  if (!token || !isInForce(token, now)) throw refusal();
  if (!opensFrom(addressesOf(token), from.exact)) {
    ctx.tokenUses.refused({ ...token, token_id: token.id }, from.exact);
    // Not counted by what is presented, or whoever has a copy could make its holder wait.
    throw ctx.attempts.failed("access", { address: from.counted }) ??
      new Failure("not_authorised");
  }
  // It could not even ask who it is.
  if (effectivePermissions(token.permissions, token.scope).length === 0) {
    throw new Failure("access_denied");
  }
  const secret = randomAlphanumeric(SECRET_LENGTH);
  const made = { id: newId(now), hash: sha256(secret) };
  await storage.commit(signIn, { presented, session: made, now });
  const principal = await new Sessions(storage.reader, clock).authenticate(secret);
  if (!principal) throw refusal();
  return { session: await show(ctx, principal), secret };
}

/** Every sign-in that fails ends here, and counts: by the address, and by what was presented. */
function refusalOf(
  { attempts }: ServiceContext,
  presented: Presented,
  address: string | undefined,
): Failure {
  const refused = new Failure("not_authorised");
  return attempts.failed("access", { address, credential: hashOf(presented) }) ?? refused;
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
  if (!principal.session) throw noSession();
  const actor = actorOf(principal, clock.now());
  await storage.commit(signOut, { actor, id: principal.session.id });
}

/** Whoever calls. */
export async function whoCalls(ctx: RequestContext): Promise<z.output<typeof caller>> {
  const { principal, storage: { reader } } = ctx;
  const token = await findAccessToken(reader, principal.org_id, principal.token_id);
  if (!token) throw new Failure("not_authorised");
  const { id, name, expires_at } = token;
  return { ...await whoIs(ctx, principal), credential: { id, name, expires_at } };
}

/**
 * A fresh code that signs in once, within ten minutes, as the holder of this access token. For the terminal
 * of whoever runs the server. Throws `not_found` where the access token is not in force.
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
  if (!principal.session) throw noSession();
  const { csrf_token, expires_at } = principal.session;
  return { ...await whoIs(ctx, principal), csrf_token, expires_at };
}

async function whoIs({ storage: { reader } }: ServiceContext, principal: Principal) {
  const { org_id, user_id, permissions } = principal;
  const person = await findPerson(reader, org_id, user_id);
  const organisation = await findOrganisation(reader, org_id);
  return {
    person: { id: user_id, name: person?.name ?? "" },
    organisation: { id: org_id, name: organisation?.name ?? "" },
    permissions: [...permissions],
  };
}

function noSession(): Failure {
  return new Failure("not_found", { message: "This call comes by access token, not by session." });
}
