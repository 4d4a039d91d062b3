import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf, type Idempotency, idempotentCall } from "../../calls/principal.ts";
import type { Page } from "../../contract/paging.ts";
import { Answer } from "../../kernel/answer.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { revisionOf } from "../../kernel/entity-tag.ts";
import { Failure } from "../../kernel/failure.ts";
import { byId, type PageQuery, walk } from "../../kernel/walk.ts";
import { type AccessToken, newAccessToken, showAccessToken } from "./access-token.ts";
import {
  type IssueInput,
  limitAccessToken,
  revokeAccessToken,
  type RotateInput,
} from "./access-tokens.transactions.ts";
import type { issueAccessCredential, rotateAccessCredential } from "./people.contract.ts";
import { addressList } from "./address-list.ts";
import { accessTokensBelow, findPerson, peopleBelow } from "./people.store.ts";
import {
  type Administration,
  createPerson,
  deactivatePerson,
  type PersonInput,
  replacePerson,
  suspendPerson,
} from "./people.transactions.ts";
import { type Person, showPerson } from "./person.ts";

/** People, newest first. */
export async function list(ctx: RequestContext, query: PageQuery): Promise<Page<Person>> {
  const { storage, principal } = ctx;
  const { rows, next_cursor } = await walk(
    byId(
      "people",
      (below, limit) => peopleBelow(storage.reader, { org_id: principal.org_id, below }, limit),
    ),
    query,
  );
  return { data: rows.map(showPerson), next_cursor };
}

/** One person with their entity tag. */
export async function get(ctx: RequestContext, id: string): Promise<Answer<Person>> {
  const row = await findPerson(ctx.storage.reader, { org_id: ctx.principal.org_id, id });
  if (!row) throw new Failure("not_found");
  return tagged(showPerson(row));
}

/** Adds a person. */
export async function create(
  ctx: RequestContext,
  person: PersonInput,
  idempotency: Idempotency,
): Promise<Answer<Person>> {
  const input = { ...administrationOf(ctx), person };
  const whole = {
    ...input,
    idempotency: idempotentCall(ctx.principal, input.actor.now, idempotency),
  };
  return tagged(await ctx.storage.commit(createPerson, whole));
}

/** Replaces name and permissions; `ifMatch` as ifMatchOf gives it. */
export async function update(
  ctx: RequestContext,
  id: string,
  person: PersonInput,
  ifMatch: string[] | null,
): Promise<Answer<Person>> {
  const input = { ...administrationOf(ctx), id, person, ifMatch };
  return tagged(await ctx.storage.commit(replacePerson, input));
}

/** Deactivates a person. */
export async function remove(
  ctx: RequestContext,
  id: string,
  ifMatch: string[] | null,
): Promise<Answer<Person>> {
  const input = { ...administrationOf(ctx), id, ifMatch };
  return tagged(await ctx.storage.commit(deactivatePerson, input));
}

/** A person's access tokens, newest first. */
export async function listAccessTokens(
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
  return { data: rows.map((row) => showAccessToken(row, now)), next_cursor };
}

/** What issuing an access token takes, its fresh value among it. `address`: the caller's. */
export function issueInput(
  ctx: RequestContext,
  person_id: string,
  body: z.output<typeof issueAccessCredential.body & z.ZodType>,
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
      addresses: addressList(body.addresses ?? [], address),
    },
    idempotency: idempotentCall(ctx.principal, administration.actor.now, idempotency),
  };
}

/** Suspends all that a person's access tokens and sessions open, or lifts that. */
export async function suspend(
  ctx: RequestContext,
  id: string,
  suspended: boolean,
): Promise<Answer<Person>> {
  const input = { ...administrationOf(ctx), id, suspended };
  return tagged(await ctx.storage.commit(suspendPerson, input));
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

/** What replacing an access token by a fresh one takes. */
export function rotateInput(
  ctx: RequestContext,
  id: string,
  body: z.output<typeof rotateAccessCredential.body & z.ZodType>,
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

function administrationOf(ctx: RequestContext): Administration {
  const { principal, clock, settings } = ctx;
  return { actor: actorOf(principal, clock.now()), longestMs: settings.longestTokenMs };
}

function tagged(person: Person): Answer<Person> {
  return new Answer(person, { etag: `"${revisionOf(person)}"` });
}
