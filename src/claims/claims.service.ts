import type { z } from "zod";
import { actorOf } from "../access/principal.ts";
import type { RequestContext } from "../context.ts";
import { PAGE_LIMIT } from "../contract/native.ts";
import { toTimestamp } from "../lib/clock.ts";
import { readCursor, writeCursor } from "../lib/cursor.ts";
import { Failure } from "../lib/failure.ts";
import { claimHash } from "./claim.ts";
import type { claim, claimList, listClaims, openedClaim } from "./claims.contract.ts";
import { type ClaimRow, claimsAfter, findClaim } from "./claims.store.ts";
import { openClaim, withdrawClaim } from "./claims.transactions.ts";

type Claim = z.output<typeof claim>;

/** Before every claim: the place from which a list starts. */
const NEWEST = { sort: "~", id: "" };
const ORDER = "claims";
const ROWS_AT_ONCE = 101;
/** Claims that one page looks at, at the most, where a state is asked for. */
const WALKED_AT_MOST = 1000;

/** A page of claims, newest first. Throws `invalid_input` for a cursor of another list. */
export async function list(
  ctx: RequestContext,
  query: z.output<NonNullable<typeof listClaims.query>>,
): Promise<z.output<typeof claimList>> {
  const { storage: { reader }, principal: { org_id }, clock } = ctx;
  const now = toTimestamp(clock.now());
  const limit = query.limit ?? PAGE_LIMIT;
  let place = query.cursor === undefined ? NEWEST : readCursor(query.cursor, ORDER);
  const data: Claim[] = [];
  for (let walked = 0; walked < WALKED_AT_MOST;) {
    const rows = await claimsAfter(reader, org_id, place, ROWS_AT_ONCE);
    for (const row of rows) {
      const shown = show(row, now);
      if (query.state === undefined || shown.state === query.state) {
        if (data.length === limit) return { data, next_cursor: writeCursor(ORDER, place) };
        data.push(shown);
      }
      place = { sort: row.created_at, id: row.id };
      walked++;
    }
    if (rows.length < ROWS_AT_ONCE) return { data, next_cursor: null };
  }
  return { data, next_cursor: writeCursor(ORDER, place) };
}

/** Withdraws a claim and gives it as it is then. Throws `not_found` and `claim_closed`. */
export async function withdraw(
  ctx: RequestContext,
  id: string,
  idempotency: { key: string; fingerprint: string } | null,
): Promise<Claim> {
  const { storage, principal, clock } = ctx;
  const actor = actorOf(principal, clock.now());
  const { org_id, token_id, now } = actor;
  const call = idempotency && { ...idempotency, org_id, token_id, now };
  await storage.commit(withdrawClaim, { actor, id, idempotency: call });
  const row = await findClaim(storage.reader, org_id, id);
  if (!row) throw new Failure("not_found");
  return show(row, toTimestamp(now));
}

/**
 * The credential of a claim, once. Throws `claim_gone`, and `too_many_requests` once `address`, the visitor's, or this
 * very token was wrong too often; a token that opens something always passes, but for one that has to wait itself.
 */
export async function open(
  ctx: RequestContext,
  token: string,
  address: string | undefined,
): Promise<z.output<typeof openedClaim>> {
  const credential = claimHash(token);
  try {
    if (ctx.attempts.isWrong("claim", credential)) throw new Failure("claim_gone");
    const input = { token, now: ctx.clock.now() };
    const { reveal, key_id, plans } = await ctx.storage.commit(openClaim, input);
    return { credential: reveal, key_id, plans };
  } catch (error) {
    // A store that was away says nothing about the token.
    if (!(error instanceof Failure && error.code === "claim_gone")) throw error;
    throw ctx.attempts.failed("claim", { address, credential }) ?? error;
  }
}

function show(row: ClaimRow, now: string): Claim {
  const isOver = row.state === "open" && row.expires_at <= now;
  return { ...row, state: isOver ? "expired" : row.state };
}
