import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf } from "../../calls/principal.ts";
import { Failure } from "../../kernel/failure.ts";
import { newId } from "../../kernel/ids.ts";
import { findAccessToken } from "./access-tokens.store.ts";
import { type AccessTokenRow, isSignInRow } from "./access-token.ts";
import { isManaged, requireUnmanaged } from "./identity-link.ts";
import { passkeyPlace, type PasskeySite, passkeySiteOf, type ProvedPasskey } from "./passkey.ts";
import { challengeOfTicket, newChallenge } from "./passkey-challenge.ts";
import {
  ALGORITHMS,
  type Assertion,
  handleOf,
  type KeptKey,
  provedAssertion,
  provedAttestation,
  publicKeyOf,
  thumbprintOf,
  userHandleOf,
} from "./passkey-proof.ts";
import type {
  ownPasskey,
  passkeyChallenge,
  passkeyCreation,
  passkeyInput,
  passkeyList,
} from "./passkeys.contract.ts";
import { findPasskeyByHandle, type PasskeyRow, passkeysOf } from "./passkeys.store.ts";
import { addPasskey, namePasskey, takeAwayPasskey } from "./passkeys.transactions.ts";
import { administrationOf } from "./people.service.ts";
import { findPerson } from "./people.store.ts";
import { sessionOf } from "./session-of.ts";

type Passkey = z.output<typeof ownPasskey>;

/** The site for passkeys of a browser at this address. Throws `passkeys_unavailable`. */
export function siteOf({ settings }: RequestContext, host: string | null): PasskeySite {
  const site = passkeySiteOf(settings.publicUrl, host);
  if (!site) throw new Failure("passkeys_unavailable");
  return site;
}

/**
 * A challenge to sign in with, the same for everybody: which passkeys there are is known to the
 * browser alone. Throws `passkeys_unavailable`.
 */
export function challengeToSignIn(
  ctx: RequestContext,
  host: string | null,
): { answer: z.output<typeof passkeyChallenge>; ticket: string } {
  const { rpId } = siteOf(ctx, host);
  const { ticket, challenge, expires_at } = newChallenge(ctx.sealer, "sign-in", ctx.clock.now());
  return { answer: { challenge, rp_id: rpId, expires_at }, ticket };
}

/** The person whose passkey answers the challenge of the browser; undefined: none. */
export async function provedPasskey(
  ctx: RequestContext,
  assertion: Assertion,
  { ticket, host }: { ticket: string | undefined; host: string | null },
): Promise<ProvedPasskey | undefined> {
  const given = challengeOfTicket(ctx.sealer, "sign-in", ticket, ctx.clock.now());
  if (!given) return undefined;
  const found = await assertedBy(ctx, assertion, { challenge: given.challenge, host });
  if (!found) return undefined;
  const { row: { org_id, id, user_id }, counter } = found;
  return { org_id, id, user_id, counter, challenge: given.spent };
}

/**
 * The passkey that answers a challenge at this address, with what it counts now; undefined: none
 * does. That the challenge is one of ours is for the caller to know.
 */
export async function assertedBy(
  { storage, sealer, settings }: RequestContext,
  assertion: Assertion,
  { challenge, host }: { challenge: string; host: string | null },
): Promise<{ row: PasskeyRow; kept: KeptKey; counter: number } | undefined> {
  const site = passkeySiteOf(settings.publicUrl, host);
  const row = await findPasskeyByHandle(storage.reader, { handle: handleOf(assertion.id) });
  if (!site || !row?.public_key || row.rp_id !== site.rpId) return undefined;
  const { org_id, user_id, counter: before } = row;
  const kept = openedKey(sealer, row, row.public_key);
  // The columns beside the seal may have been changed in the store.
  if (!kept || kept.user_id !== user_id || kept.rp_id !== site.rpId) return undefined;
  const { user_handle } = assertion;
  if (user_handle && user_handle !== userHandleOf(org_id, user_id)) return undefined;
  const wanted = { challenge, ...site };
  const counter = await provedAssertion(assertion, wanted, { key: kept.key, counter: before });
  return counter === undefined ? undefined : { row, kept, counter };
}

function openedKey(
  sealer: RequestContext["sealer"],
  { org_id, id }: PasskeyRow,
  sealed: string,
): KeptKey | undefined {
  const place = passkeyPlace(org_id, id);
  if (!sealer.canOpen(place, sealed)) return undefined;
  // as: createPasskey below writes it, and no one else can seal.
  return JSON.parse(sealer.open(place, sealed)) as KeptKey;
}

/**
 * The options with which a browser makes a passkey of the caller. Throws `not_found` for a call by
 * access token, `passkeys_unavailable`, and `session_opens_less` if the session has fewer
 * permissions than its person, or for a time: a passkey has all of them, and no expiry. Throws
 * `added_by_provider`.
 */
export async function begin(
  ctx: RequestContext,
  host: string | null,
): Promise<z.output<typeof passkeyCreation>> {
  const { principal: { org_id, user_id }, storage: { reader }, sealer, clock } = ctx;
  const session = sessionOf(ctx.principal);
  const { rpId } = siteOf(ctx, host);
  await requireOpensAll(ctx);
  await requireUnmanaged(reader, sealer, { org_id, user_id });
  const person = await findPerson(reader, { org_id, id: user_id });
  if (!person) throw new Failure("not_found");
  const now = clock.now();
  const { ticket, challenge, expires_at } = newChallenge(sealer, { session: session.id }, now);
  return {
    ticket,
    challenge,
    expires_at,
    rp_id: rpId,
    user_handle: userHandleOf(org_id, user_id),
    user_name: person.email ?? person.name,
    display_name: person.name,
    algorithms: ALGORITHMS,
  };
}

/** Throws `session_opens_less` where the caller's session opens less than its person may. */
export async function requireOpensAll(
  { principal: { org_id, token_id }, storage: { reader }, settings }: RequestContext,
): Promise<void> {
  const token = await findAccessToken(reader, { org_id, id: token_id });
  if (!token || !opensAll(token, settings.longestTokenMs)) throw new Failure("session_opens_less");
}

function opensAll(token: AccessTokenRow, longestTokenMs: number | null): boolean {
  // If every access token has to expire, an expiry is no limit of this one.
  const isForATime = token.expires_at !== null && longestTokenMs === null;
  return isWhole(token) && (isSignInRow(token) || !isForATime);
}

/** Whether a session of it opens all that its person may, from everywhere. */
function isWhole({ scope, addresses }: AccessTokenRow): boolean {
  return scope === null && addresses === null;
}

/**
 * A way in of a person is changed by a session that opens all of it, and by no program's access
 * token. Throws `not_found` for a call by access token, `access_denied`.
 */
export async function requireWhole(
  { principal, storage: { reader } }: RequestContext,
): Promise<void> {
  sessionOf(principal);
  const { org_id, token_id } = principal;
  const token = await findAccessToken(reader, { org_id, id: token_id });
  if (!token || !isWhole(token)) throw new Failure("access_denied");
}

/** Keeps a passkey that the browser made. Throws what the endpoint lists. */
export async function create(
  ctx: RequestContext,
  body: z.output<typeof passkeyInput>,
  host: string | null,
): Promise<Passkey> {
  // Whatever it takes to be given a challenge it takes to answer it.
  await begin(ctx, host);
  const { sealer, clock, storage, principal: { user_id } } = ctx;
  const site = siteOf(ctx, host);
  const now = clock.now();
  const session_id = sessionOf(ctx.principal).id;
  const use = { session: session_id };
  const given = challengeOfTicket(sealer, use, body.ticket, now);
  const proved = given &&
    await provedAttestation(body, { challenge: given.challenge, ...site });
  if (!proved) throw new Failure("passkey_refused");
  const kept: KeptKey = { user_id, rp_id: site.rpId, key: proved.key };
  const id = newId(now);
  const { created_at } = await storage.commit(addPasskey, {
    actor: actorOf(ctx.principal, now),
    session_id,
    passkey: {
      id,
      handle: handleOf(body.id),
      rp_id: site.rpId,
      name: body.name,
      public_key: JSON.stringify(kept),
      thumbprint: thumbprintOf(await publicKeyOf(proved.key)),
      counter: proved.counter,
      challenge: given.spent,
    },
  });
  return { id, name: body.name, host: site.rpId, date_created: created_at, last_used_at: null };
}

/** The caller's passkeys, the oldest first. */
export async function list(
  ctx: RequestContext,
): Promise<z.output<typeof passkeyList>> {
  const { principal: { org_id, user_id }, sealer, storage: { reader } } = ctx;
  const rows = await passkeysOf(reader, { org_id, user_id });
  const managed = await isManaged(reader, sealer, { org_id, user_id });
  return { data: rows.map(toPasskey), managed };
}

/** Names one. Throws `not_found`, and what requireWhole throws. */
export async function rename(ctx: RequestContext, id: string, name: string): Promise<Passkey> {
  await requireWhole(ctx);
  const actor = actorOf(ctx.principal, ctx.clock.now());
  await ctx.storage.commit(namePasskey, { actor, id, name });
  const found = (await list(ctx)).data.find((one) => one.id === id);
  if (!found) throw new Failure("not_found");
  return found;
}

/** Removes one. Throws `not_found`, `last_administrator`, and what requireWhole throws. */
export async function remove(ctx: RequestContext, id: string): Promise<void> {
  await requireWhole(ctx);
  await ctx.storage.commit(takeAwayPasskey, { ...administrationOf(ctx), id });
}

/** A passkey as its owner, and who administers, read of it. */
export function toPasskey({ id, name, rp_id, created_at, last_used_at }: PasskeyRow): Passkey {
  return { id, name, host: rp_id, date_created: created_at, last_used_at };
}
