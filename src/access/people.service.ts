import type { z } from "zod";
import type { RequestContext } from "../context.ts";
import { DEFAULT_LIMIT, type Page } from "../contract/paging.ts";
import { randomAlphanumeric } from "../credentials/credential.ts";
import { readCursor, writeCursor } from "../lib/cursor.ts";
import { revisionOf } from "../lib/entity-tag.ts";
import { Failure } from "../lib/failure.ts";
import { HeadedAnswer } from "../lib/headed-answer.ts";
import { type AccessCredential, showCredential } from "./access-credential.ts";
import {
  issueCredential,
  type IssuedCredential,
  revokeCredential,
  rotateCredential,
} from "./access-credentials.transactions.ts";
import type { issueAccessCredential, rotateAccessCredential } from "./people.contract.ts";
import { credentialsBelow, findPerson, peopleBelow } from "./people.store.ts";
import {
  type Administration,
  createPerson,
  deactivatePerson,
  type PersonInput,
  replacePerson,
} from "./people.transactions.ts";
import { type Person, showPerson } from "./person.ts";
import { actorOf } from "./principal.ts";

/** How a page is asked for. */
export interface PageQuery {
  limit?: number | undefined;
  cursor?: string | undefined;
}

/** A call's `Idempotency-Key`, or null without one. */
export type Idempotency = { key: string; fingerprint: string } | null;

/** Above every id. */
const NEWEST = "~";

/** People, newest first. */
export async function list(ctx: RequestContext, query: PageQuery): Promise<Page<Person>> {
  const { storage, principal } = ctx;
  const below = placeOf(query, "people");
  const rows = await peopleBelow(storage.reader, principal.org_id, below);
  return toPage(rows.map(showPerson), query, "people");
}

/** One person with their entity tag. */
export async function get(ctx: RequestContext, id: string): Promise<HeadedAnswer<Person>> {
  const row = await findPerson(ctx.storage.reader, ctx.principal.org_id, id);
  if (!row) throw new Failure("not_found");
  return tagged(showPerson(row));
}

/** Adds a person. */
export async function create(
  ctx: RequestContext,
  person: PersonInput,
  idempotency: Idempotency,
): Promise<HeadedAnswer<Person>> {
  const input = { ...administrationOf(ctx), person };
  const whole = { ...input, idempotency: idempotentCall(ctx, input.actor.now, idempotency) };
  return tagged(await ctx.storage.commit(createPerson, whole));
}

/** Replaces name and permissions; `ifMatch` as ifMatchOf gives it. */
export async function update(
  ctx: RequestContext,
  id: string,
  person: PersonInput,
  ifMatch: string[] | null,
): Promise<HeadedAnswer<Person>> {
  const input = { ...administrationOf(ctx), id, person, ifMatch };
  return tagged(await ctx.storage.commit(replacePerson, input));
}

/** Deactivates a person. */
export async function remove(
  ctx: RequestContext,
  id: string,
  ifMatch: string[] | null,
): Promise<HeadedAnswer<Person>> {
  const input = { ...administrationOf(ctx), id, ifMatch };
  return tagged(await ctx.storage.commit(deactivatePerson, input));
}

/** A person's credentials, newest first. */
export async function listCredentials(
  ctx: RequestContext,
  person_id: string,
  query: PageQuery,
): Promise<Page<AccessCredential>> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const below = placeOf(query, "credentials");
  if (!await findPerson(reader, org_id, person_id)) throw new Failure("not_found");
  const rows = await credentialsBelow(reader, org_id, person_id, below);
  const now = ctx.clock.now();
  return toPage(rows.map((row) => showCredential(row, now)), query, "credentials");
}

/** Issues a credential; its value stands in this answer and nowhere else. */
export async function issue(
  ctx: RequestContext,
  person_id: string,
  body: z.output<typeof issueAccessCredential.body & z.ZodType>,
  idempotency: Idempotency,
): Promise<IssuedCredential> {
  const administration = administrationOf(ctx);
  return await ctx.storage.commit(issueCredential, {
    ...administration,
    person_id,
    fresh: {
      credential: newCredential(),
      name: body.name,
      expires_at: body.expires_at ?? null,
      scope: body.scope ?? null,
    },
    idempotency: idempotentCall(ctx, administration.actor.now, idempotency),
  });
}

/** Revokes a credential. */
export async function revoke(ctx: RequestContext, id: string): Promise<AccessCredential> {
  return await ctx.storage.commit(revokeCredential, { ...administrationOf(ctx), id });
}

/** Replaces a credential by a fresh one. */
export async function rotate(
  ctx: RequestContext,
  id: string,
  body: z.output<typeof rotateAccessCredential.body & z.ZodType>,
  idempotency: Idempotency,
): Promise<IssuedCredential> {
  const administration = administrationOf(ctx);
  return await ctx.storage.commit(rotateCredential, {
    ...administration,
    id,
    credential: newCredential(),
    overlapMs: body.overlap_seconds * 1000,
    expires_at: body.expires_at ?? null,
    idempotency: idempotentCall(ctx, administration.actor.now, idempotency),
  });
}

/** 43 letters and digits: 256 bits. */
export function newCredential(): string {
  return randomAlphanumeric(43);
}

/** Who calls, for a transaction's claim of an `Idempotency-Key`. */
export function idempotentCall({ principal }: RequestContext, now: number, call: Idempotency) {
  const { org_id, token_id } = principal;
  return call && { ...call, org_id, token_id, now };
}

/** A page of rows that were read from `placeOf` on. */
export function toPage<T extends { id: string }>(
  rows: T[],
  { limit = DEFAULT_LIMIT }: PageQuery,
  order: string,
): Page<T> {
  const data = rows.slice(0, limit);
  const last = rows.length > limit ? data.at(-1) : undefined;
  return { data, next_cursor: last ? writeCursor(order, { sort: "", id: last.id }) : null };
}

/** The id below which a page starts. */
export function placeOf({ cursor }: PageQuery, order: string): string {
  return cursor === undefined ? NEWEST : readCursor(cursor, order).id;
}

function administrationOf(ctx: RequestContext): Administration {
  const operatorHash = ctx.settings.operatorHash;
  return { actor: actorOf(ctx.principal, ctx.clock.now()), operatorHash };
}

function tagged(person: Person): HeadedAnswer<Person> {
  return new HeadedAnswer(person, { etag: `"${revisionOf(person)}"` });
}
