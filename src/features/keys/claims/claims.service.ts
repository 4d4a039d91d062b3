import type { z } from "zod";
import type { RequestContext } from "../../../calls/context.ts";
import { cursorCover } from "../../../calls/cursor-cover.ts";
import {
  actingCall,
  actorOf,
  type Idempotency,
  idempotentCall,
  may,
  type Principal,
} from "../../../calls/principal.ts";
import type { Permission } from "../../../contract/permissions.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { type Source, source, walk } from "../../../kernel/walk.ts";
import { publicBrand } from "../../branding/public-brand.ts";
import { seenAmong } from "../within-scope.service.ts";
import { claimHash, handsOverAccess } from "./claim.ts";
import { previewOf } from "./claim-preview.ts";
import type {
  claim,
  claimFate,
  claimList,
  claimPreview,
  listClaims,
  openedClaim,
} from "./claims.contract.ts";
import {
  type ClaimRow,
  claimsAfter,
  claimsOfAfter,
  findByHash,
  findClaim,
} from "./claims.store.ts";
import { openClaim, withdrawClaim } from "./claims.transactions.ts";

type Claim = z.output<typeof claim>;

/**
 * A page of the claims that the caller may see, newest first. Throws `invalid_input` for a cursor
 * of another list.
 */
export async function list(
  ctx: RequestContext,
  { state, key_id, key_request_id, request_id: older, ...page }: z.output<
    NonNullable<typeof listClaims.query>
  >,
): Promise<z.output<typeof claimList>> {
  const { storage: { reader }, principal, clock } = ctx;
  const { org_id } = principal;
  const now = toTimestamp(clock.now());
  const request_id = key_request_id ?? older;
  const claims = source(
    (place, limit) =>
      key_id !== undefined
        ? claimsOfAfter(reader, { org_id, of: "key_id", named: key_id }, place, limit)
        : request_id !== undefined
        ? claimsOfAfter(reader, { org_id, of: "request_id", named: request_id }, place, limit)
        : claimsAfter(reader, { org_id, ...place }, limit),
    (row) => ({ sort: row.created_at, id: row.id }),
  );
  const { rows, next_cursor } = await walk({
    order: "claims",
    first: { sort: "~", id: "" },
    sources: [seenOf(ctx, claims)],
    cover: cursorCover(ctx),
    wanted: (row) =>
      mayReach(principal, row, "portal:read") &&
      (request_id === undefined || row.request_id === request_id) &&
      (state === undefined || stateAt(row, now) === state),
  }, page);
  return { data: rows.map((row) => show(row, now)), next_cursor };
}

/** Those of keys that the caller sees; with no scope all of them. */
function seenOf(ctx: RequestContext, claims: Source<ClaimRow>): Source<ClaimRow> {
  if (!ctx.principal.covers) return claims;
  return async (place, limit) => {
    const part = await claims(place, limit);
    const seen = await seenAmong(ctx, part.rows.map(({ row }) => row.key_id));
    return { ...part, rows: part.rows.filter(({ row }) => seen.includes(row.key_id)) };
  };
}

/**
 * Withdraws a claim and gives it as it is then. Throws `not_found`, `claim_closed` and
 * `fresh_sign_in_required`.
 */
export async function withdraw(
  ctx: RequestContext,
  id: string,
  idempotency: Idempotency,
): Promise<Claim> {
  const { storage, principal, clock } = ctx;
  const actor = actorOf(principal, clock.now());
  const { org_id, now } = actor;
  const call = idempotentCall(principal, now, idempotency);
  const claim = await findClaim(storage.reader, { org_id, id });
  if (!claim || !mayReach(principal, claim, "approve")) throw new Failure("not_found");
  if ((await seenAmong(ctx, [claim.key_id])).length === 0) throw new Failure("not_found");
  if (handsOverAccess(claim) && principal.session && !principal.session.isFresh) {
    throw new Failure("fresh_sign_in_required");
  }
  await storage.commit(withdrawClaim, { actor, id, idempotency: call });
  const row = await findClaim(storage.reader, { org_id, id });
  if (!row) throw new Failure("not_found");
  return show(row, toTimestamp(now));
}

/**
 * The credential of a claim, once. Throws `claim_gone`, and `too_many_requests` once `address`, the
 * visitor's, or this very token was wrong too often; a token that opens something always passes,
 * but for one that has to wait itself. One that was right, and whose claim is over, is no guess and
 * counts as none.
 */
export async function open(
  ctx: RequestContext,
  token: string,
  address: string | undefined,
): Promise<z.output<typeof openedClaim>> {
  const { storage, clock, principal } = ctx;
  return await counted(ctx, token, address, async () => {
    const input = { token, now: clock.now(), call: actingCall(principal) };
    const { reveal, ...about } = await storage.commit(openClaim, input);
    return { credential: reveal, ...about };
  });
}

/** Whose a claim is and what for; it stays as it is. Throws what `open` throws. */
export async function preview(
  ctx: RequestContext,
  token: string,
  address: string | undefined,
): Promise<z.output<typeof claimPreview>> {
  return await counted(ctx, token, address, () => previewOf(ctx, claimHash(token)));
}

type Fate = z.output<typeof claimFate>;

/** What became of a claim, and whom to ask. Throws what `open` throws. */
export async function fate(
  ctx: RequestContext,
  token: string,
  address: string | undefined,
): Promise<Fate> {
  return await counted(ctx, token, address, () => fateOf(ctx, claimHash(token)));
}

/** What a token gives, where it may be tried. */
async function counted<T>(
  { storage, attempts }: RequestContext,
  token: string,
  address: string | undefined,
  give: () => Promise<T>,
): Promise<T> {
  const credential = claimHash(token);
  const refused = () =>
    attempts.failed("claim", { address, credential }) ?? new Failure("claim_gone");
  if (attempts.isWrong("claim", credential)) throw refused();
  try {
    return await give();
  } catch (error) {
    // A store that was away says nothing about the token.
    if (!(error instanceof Failure && error.code === "claim_gone")) throw error;
    // Whoever has to wait learns nothing of it.
    throw await findByHash(storage.reader, { hash: credential })
      ? attempts.mustWait("claim", { address, credential }) ?? error
      : refused();
  }
}

/** False where the claim is absent for this caller: `ofKeys` opens those of keys. */
function mayReach(principal: Principal, claim: ClaimRow, ofKeys: Permission): boolean {
  return may(principal, handsOverAccess(claim) ? "admin" : ofKeys);
}

function show(row: ClaimRow, now: string): Claim {
  return { ...row, key_request_id: row.request_id, state: stateAt(row, now) };
}

function stateAt({ state, expires_at }: ClaimRow, now: string): Claim["state"] {
  return state === "open" && expires_at <= now ? "expired" : state;
}

/** What became of the claim of a token's hash. Throws `claim_gone` where there never was one. */
async function fateOf(ctx: RequestContext, hash: string): Promise<Fate> {
  const { storage: { reader }, clock } = ctx;
  const claim = await findByHash(reader, { hash });
  if (!claim) throw new Failure("claim_gone");
  const { name, logo, colour, support } = await publicBrand(reader, claim.org_id);
  const organisation = { name, logo, colour, support };
  const { state, closed_at, expires_at } = claim;
  if (state !== "open") return { state, at: closed_at, organisation };
  if (expires_at <= toTimestamp(clock.now())) {
    return { state: "expired", at: expires_at, organisation };
  }
  return { state: await isOver(ctx, hash) ? "stopped" : "open", at: null, organisation };
}

/** Whether what an open claim hands over opens nothing now. */
async function isOver(ctx: RequestContext, hash: string): Promise<boolean> {
  try {
    await previewOf(ctx, hash);
    return false;
  } catch (error) {
    if (error instanceof Failure && error.code === "claim_gone") return true;
    throw error;
  }
}
