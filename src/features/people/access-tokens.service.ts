import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { type Idempotency, idempotentCall } from "../../calls/principal.ts";
import type { Page } from "../../contract/paging.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { byId, type PageQuery, walk } from "../../kernel/walk.ts";
import {
  type AccessToken,
  type AccessTokenRow,
  isSignInRow,
  newAccessToken,
  stateOf,
  toAccessToken,
} from "./access-token.ts";
import type { accessTokenInput, rotateAccessTokenInput } from "./access-tokens.contract.ts";
import { accessTokensBelow, allAccessTokensBelow, findAccessToken } from "./access-tokens.store.ts";
import {
  type IssueInput,
  limitAccessToken,
  revokeAccessToken,
  type RotateInput,
} from "./access-tokens.transactions.ts";
import { addressList } from "./address-list.ts";
import { administrationOf } from "./people.service.ts";
import { findPerson } from "./people.store.ts";

/** Filters of all access tokens. */
type Filters = PageQuery & {
  person_id?: string | undefined;
  state?: AccessToken["state"] | undefined;
  q?: string | undefined;
};

/** The access tokens of all people, newest first. */
export async function listAll(ctx: RequestContext, query: Filters): Promise<Page<Named>> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const now = ctx.clock.now();
  const { person_id, state, q = "" } = query;
  const words = q.toLowerCase();
  const { rows, next_cursor } = await walk({
    ...byId(
      "access_tokens",
      (below, limit) =>
        person_id === undefined
          ? allAccessTokensBelow(reader, { org_id, below }, limit)
          : accessTokensBelow(reader, { org_id, user_id: person_id, below }, limit),
    ),
    wanted: (row) =>
      (state === undefined || stateOf(row, now) === state) &&
      (row.id === q ||
        [row.name, row.person_name].some((name) => name.toLowerCase().includes(words))),
  }, query);
  return { data: rows.map((row) => named(row, now)), next_cursor };
}

/**
 * One access token. Throws `not_found`, also for the row of the person who signs in without one.
 */
export async function get(ctx: RequestContext, id: string): Promise<Named> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const row = await findAccessToken(reader, { org_id, id });
  if (!row || isSignInRow(row)) throw new Failure("not_found");
  return named(row, ctx.clock.now());
}

/** An access token with its person's name. */
type Named = AccessToken & { person_name: string };

function named(row: AccessTokenRow & { person_name: string }, now: number): Named {
  return { ...toAccessToken(row, now), person_name: row.person_name };
}

/** A person's access tokens, newest first. */
export async function list(
  ctx: RequestContext,
  user_id: string,
  query: PageQuery,
): Promise<Page<AccessToken>> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  if (!await findPerson(reader, { org_id, id: user_id })) throw new Failure("not_found");
  const { rows, next_cursor } = await walk(
    byId(
      "credentials",
      (below, limit) => accessTokensBelow(reader, { org_id, user_id, below }, limit),
    ),
    query,
  );
  const now = ctx.clock.now();
  return { data: rows.map((row) => toAccessToken(row, now)), next_cursor };
}

/** The input of issuing an access token, with its fresh value. `address`: the caller's. */
export function issueInput(
  ctx: RequestContext,
  person_id: string,
  body: z.output<typeof accessTokenInput>,
  address: string | undefined,
  idempotency: Idempotency,
): IssueInput {
  const administration = administrationOf(ctx);
  return {
    ...administration,
    person_id,
    fresh: {
      credential: newAccessToken(),
      name: body.name,
      expires_at: normalised(body.expires_at),
      scope: body.scope ?? null,
      role: body.role ?? null,
      addresses: addressList(body.addresses ?? [], address),
      certs_answer: body.certs_answer,
    },
    idempotency: idempotentCall(ctx.principal, administration.actor.now, idempotency),
  };
}

/** Sets from where an access token opens something. `address`: the caller's. */
export async function limit(
  ctx: RequestContext,
  id: string,
  addresses: readonly string[],
  address: string | undefined,
): Promise<AccessToken> {
  const input = { ...administrationOf(ctx), id, addresses: addressList(addresses, address) };
  return await ctx.storage.commit(limitAccessToken, input);
}

/** Revokes an access token. */
export async function revoke(ctx: RequestContext, id: string): Promise<AccessToken> {
  return await ctx.storage.commit(revokeAccessToken, { ...administrationOf(ctx), id });
}

/** The input of replacing an access token by a fresh one. */
export function rotateInput(
  ctx: RequestContext,
  id: string,
  body: z.output<typeof rotateAccessTokenInput>,
  idempotency: Idempotency,
): RotateInput {
  const administration = administrationOf(ctx);
  return {
    ...administration,
    id,
    credential: newAccessToken(),
    overlapMs: body.overlap_seconds * 1000,
    expires_at: normalised(body.expires_at),
    idempotency: idempotentCall(ctx.principal, administration.actor.now, idempotency),
  };
}

/** As our own times are written, so that stored texts compare. */
function normalised(time: string | undefined): string | null {
  return time === undefined ? null : toTimestamp(Date.parse(time));
}
