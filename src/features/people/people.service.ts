import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf, type Idempotency, idempotentCall } from "../../calls/principal.ts";
import { pageCount } from "../../contract/envelope.ts";
import type { Page } from "../../contract/paging.ts";
import { Answer } from "../../kernel/answer.ts";
import { revisionOf } from "../../kernel/entity-tag.ts";
import { Failure } from "../../kernel/failure.ts";
import { byId, type PageQuery, walk } from "../../kernel/walk.ts";
import { leavingOpen, type LeftOpen, type WithOpenApprovals } from "./left-open.ts";
import type { userList } from "./people.contract.ts";
import { passkeyHostOf } from "./passkey.ts";
import { findPerson, peopleBelow } from "./people.store.ts";
import {
  type Administration,
  createPerson,
  deactivatePerson,
  type PersonInput,
  replacePerson,
  suspendPerson,
} from "./people.transactions.ts";
import { type Person, toPerson } from "./person.ts";

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
  return { data: rows.map(toPerson), next_cursor };
}

/** Lists users as the original does: a page from 1, else all of them. */
export async function listUsers(
  ctx: RequestContext,
  p = 0,
): Promise<z.output<typeof userList>> {
  const { settings: { pageSize }, principal: { org_id } } = ctx;
  const people: Person[] = [];
  let cursor: string | null | undefined;
  do {
    const page: Page<Person> = await list(ctx, { limit: 100, ...cursor ? { cursor } : {} });
    people.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null);
  const users = people.map(({ id, name, email, state }) => {
    const words = name.split(" ");
    const last_name = words.length > 1 ? words.pop() ?? "" : "";
    const view = { id, first_name: words.join(" "), last_name, email_address: email ?? "" };
    return { ...view, active: state === "active", org_id };
  });
  if (p < 1) return { users, pages: users.length === 0 ? 0 : 1 };
  const pages = pageCount(users.length, pageSize);
  return { users: users.slice((p - 1) * pageSize, p * pageSize), pages };
}

/** One person with their entity tag. */
export async function get(ctx: RequestContext, id: string): Promise<Answer<Person>> {
  const row = await findPerson(ctx.storage.reader, { org_id: ctx.principal.org_id, id });
  if (!row) throw new Failure("not_found");
  return tagged(toPerson(row));
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
  const { covers: scope, ...created } = await ctx.storage.commit(createPerson, whole);
  return tagged({ ...created, scope });
}

/** The context of a service that changes who may approve. */
export type PeopleContext = RequestContext & WithOpenApprovals;

type ChangedPerson = Person & { left_open: LeftOpen };

/** Replaces name and permissions; `ifMatch` as ifMatchOf gives it. */
export async function update(
  ctx: PeopleContext,
  id: string,
  person: PersonInput,
  ifMatch: string[] | null,
): Promise<Answer<ChangedPerson>> {
  const input = { ...administrationOf(ctx), id, person, ifMatch };
  return await changed(ctx, () => ctx.storage.commit(replacePerson, input));
}

/** Deactivates a person. */
export async function remove(
  ctx: PeopleContext,
  id: string,
  ifMatch: string[] | null,
): Promise<Answer<ChangedPerson>> {
  const input = { ...administrationOf(ctx), id, ifMatch };
  return await changed(ctx, () => ctx.storage.commit(deactivatePerson, input));
}

/** Suspends all that a person's access tokens and sessions open. */
export async function suspend(ctx: PeopleContext, id: string): Promise<Answer<ChangedPerson>> {
  const input = { ...administrationOf(ctx), id, suspended: true };
  return await changed(ctx, () => ctx.storage.commit(suspendPerson, input));
}

/** Lifts that. */
export async function resume(ctx: RequestContext, id: string): Promise<Answer<Person>> {
  const input = { ...administrationOf(ctx), id, suspended: false };
  return tagged(await ctx.storage.commit(suspendPerson, input));
}

async function changed(
  ctx: PeopleContext,
  change: () => Promise<Person>,
): Promise<Answer<ChangedPerson>> {
  const { made, left_open } = await leavingOpen(ctx, ctx.principal.org_id, change);
  return new Answer({ ...made, left_open }, { etag: `"${revisionOf(made)}"` });
}

export function administrationOf(ctx: RequestContext): Administration {
  const { principal, clock, settings } = ctx;
  return {
    actor: actorOf(principal, clock.now()),
    longestMs: settings.longestTokenMs,
    passkeyHost: passkeyHostOf(settings.publicUrl) ?? "",
  };
}

function tagged(person: Person): Answer<Person> {
  return new Answer(person, { etag: `"${revisionOf(person)}"` });
}
