import type { z } from "zod";
import { actorOf, type Idempotency, idempotentCall } from "../../../calls/principal.ts";
import { keptAnswer } from "../../../changes/idempotent-answers.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { newId } from "../../../kernel/ids.ts";
import { source, walk } from "../../../kernel/walk.ts";
import { toAdded } from "../../key-requests/added-words.ts";
import { addWords as addWordsTo } from "../../key-requests/added-words.transactions.ts";
import { policiesFor } from "../../key-requests/asked-policy.store.ts";
import { draft, initially } from "../../key-requests/draft-key-request.ts";
import { hasExpired, toEnd } from "../../key-requests/expiry.ts";
import type { RequestState } from "../../key-requests/key-request.ts";
import { grantedIn } from "../../key-requests/granted-terms.ts";
import { type Offer, offerIn, offerState } from "../../key-requests/offer.ts";
import { acceptOffer, answerOffer } from "../../key-requests/offers.transactions.ts";
import { keyRequestInput } from "../../key-requests/key-requests.contract.ts";
import { ask } from "../../key-requests/key-requests.service.ts";
import {
  type Created,
  type CreateInput,
  removeTransaction,
} from "../../key-requests/key-requests.transactions.ts";
import { remind as remindOf } from "../../key-requests/reminders.transactions.ts";
import { refuseTooLarge, withinLimits } from "../../key-requests/request-limits.ts";
import { parseHead, parseTail, termsOf } from "../../key-requests/stored-request.ts";
import { findV1, type V1Row, walkRequests } from "../../key-requests/v1.store.ts";
import { withdrawnPlans } from "../../plans/catalogue/withdrawn-plans.ts";
import { requireFitting } from "../../plans/catalogue/questions.ts";
import { newOneTimeLink } from "../../keys/one-time-links/one-time-link.ts";
import { newAttempt } from "../../keys/key-kinds.ts";
import { plansOf } from "../../keys/show-key.ts";
import { own } from "./keys.service.ts";
import { askLaterEnd } from "./later-end.transactions.ts";
import { askForPlan } from "./my.transactions.ts";
import { offeredPlan, offerOf } from "./offer.ts";
import { type MyContext, ownerOf, type Theirs, theirsOf } from "./own.ts";
import { keysOfRequests, waitingKeys } from "./own-standing.store.ts";
import { planNamer } from "./plan-names.ts";
import { usualTimes } from "./usual-time.ts";
import type {
  askInput,
  laterEndInput,
  listMyRequestsQuery,
  myKeyRequestList,
  myNewRequest,
  myRequest,
} from "./requests.contract.ts";

type MyRequest = z.output<typeof myRequest>;

/** The states as the developer reads them. */
const STATES = {
  pending: "pending",
  issued: "approved",
  declined: "declined",
} as const satisfies Record<RequestState, MyRequest["state"]>;

/** A page of the caller's requests, newest first. Throws `invalid_input` for a foreign cursor. */
export async function list(
  ctx: MyContext,
  query: z.output<NonNullable<typeof listMyRequestsQuery>>,
): Promise<z.output<typeof myKeyRequestList>> {
  const { org_id, developer_id: named } = ownerOf(ctx);
  const theirs = await theirsOf(ctx);
  const own = source(
    (place, limit) => {
      const page = { newestFirst: true, place, limit };
      return walkRequests(ctx.storage.reader, org_id, { walk: "developer", named }, page);
    },
    (row) => ({ sort: row.instant, id: row.id }),
  );
  const { rows, next_cursor } = await walk({
    order: "my requests",
    first: { sort: "~", id: "" },
    sources: [own],
    wanted: (row) =>
      theirs.isRequest(row.instant) &&
      (query.state === undefined || STATES[row.state] === query.state),
  }, query);
  return { data: await serialize(ctx, rows, theirs), next_cursor };
}

/** One of the caller's requests. Throws `not_found`, for another's too. */
export async function get(ctx: MyContext, id: string): Promise<MyRequest> {
  const theirs = await theirsOf(ctx);
  const row = await ownRow(ctx, id, theirs);
  const [view] = row ? await serialize(ctx, [row], theirs) : [];
  if (!view) throw new Failure("not_found");
  return view;
}

/**
 * Asks for a plan that is offered. A request for it that waits already is given instead of a second
 * one; where the plan needs no one it is approved with that, and its key waits to be opened: see
 * askForPlan. Throws `unknown_plan`, `key_limit_reached` and what a key request throws.
 */
export async function create(
  ctx: MyContext,
  { plan, fields = {} }: z.output<typeof askInput>,
  idempotency: Idempotency,
): Promise<z.output<typeof myNewRequest>> {
  const { storage, settings, principal, clock } = ctx;
  const { developer_id } = ownerOf(ctx);
  // Before the catalogue is asked, which may have changed since.
  const call = idempotentCall(principal, clock.now(), idempotency);
  const kept = await keptAnswer<Created>(storage, ctx.sealer, call);
  if (kept) return { ...await get(ctx, kept.id), already_requested: kept.waited ?? false };
  const offered = await offeredPlan(ctx, plan);
  requireFitting(offered.requested_fields, fields);
  const input = keyRequestInput.parse({ by_user: developer_id, for_plan: offered.id, fields });
  const secrets = {
    oneTimeLink: newOneTimeLink(clock.now(), settings.oneTimeLinkLifeSeconds),
    attempt: newAttempt(settings.keyFormat),
  };
  const isAtOnce = offered.way === "at_once" || await needsNoApproverFor(ctx, offered.id);
  const add = (asked: CreateInput) =>
    storage.commit(askForPlan, { asked, plans: offered.ids, isAtOnce, ...secrets });
  const { id, waited = false } = await ask(ctx, input, "strict", idempotency, add);
  return { ...await get(ctx, id), already_requested: waited };
}

/** Whether the plan's policy says that its requests need no one. */
async function needsNoApproverFor(
  { storage, principal }: MyContext,
  plan: string,
): Promise<boolean> {
  const [policy] = await policiesFor(storage.reader, principal.org_id, [plan]);
  return policy?.outcome === "at_once";
}

/**
 * Asks that a key of the caller's lives until then: see askLaterEnd. Throws `not_found` for
 * another's, and what a key request throws.
 */
export async function askForLaterEnd(
  ctx: MyContext,
  key_id: string,
  { until, words = "" }: z.output<typeof laterEndInput>,
  idempotency: Idempotency,
): Promise<z.output<typeof myNewRequest>> {
  const { storage, settings, principal, clock } = ctx;
  const { developer_id: by_user } = ownerOf(ctx);
  const key = await own(ctx, key_id);
  const now = clock.now();
  const plans = plansOf(key);
  const fields = words === "" ? {} : { why: words };
  const input = keyRequestInput.parse({ by_user, key: key_id, apply_policies: plans, fields });
  const identity = { org_id: principal.org_id, id: newId(now), key_id };
  const drafted = draft(input, identity, initially(now));
  refuseTooLarge(drafted, settings.requestBytes);
  const { id, waited = false } = await withinLimits((careful) =>
    storage.commit(askLaterEnd, {
      actor: actorOf(principal, now),
      references: "strict",
      draft: drafted,
      limits: { ...settings.pendingLimits, careful },
      idempotency: idempotentCall(principal, now, idempotency),
      asked_end: toTimestamp(Date.parse(until)),
    })
  );
  return { ...await get(ctx, id), already_requested: waited };
}

/** Withdraws a request of the caller's that waits. See removeTransaction. */
export async function withdraw(ctx: MyContext, id: string): Promise<void> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const { developer_id: askedBy } = ownerOf(ctx);
  if (!await isOwn(ctx, id)) throw new Failure("not_found_for_deletion");
  await ctx.storage.commit(removeTransaction, { actor, id, askedBy });
}

/** Accepts the offer that the caller has seen. See acceptOffer. */
export async function accept(
  ctx: MyContext,
  id: string,
  offer_id: string,
  idempotency: Idempotency,
): Promise<MyRequest> {
  const { storage, settings, clock } = ctx;
  const input = await answerOf(ctx, id, offer_id, idempotency);
  await storage.commit(acceptOffer, {
    ...input,
    attempt: newAttempt(settings.keyFormat),
    oneTimeLink: newOneTimeLink(clock.now(), settings.oneTimeLinkLifeSeconds),
  });
  return await get(ctx, id);
}

/** Turns it down, or answers it. See answerOffer. */
export async function answer(
  ctx: MyContext,
  id: string,
  { offer_id, turn_down, words = "" }: {
    offer_id: string;
    turn_down: boolean;
    words?: string | undefined;
  },
  idempotency: Idempotency,
): Promise<MyRequest> {
  const input = await answerOf(ctx, id, offer_id, idempotency);
  const state = turn_down ? "turned_down" as const : "answered" as const;
  await ctx.storage.commit(answerOffer, { ...input, state, words });
  return await get(ctx, id);
}

/** Adds words to a request of the caller's that waits. See addWords of the key requests. */
export async function addWords(ctx: MyContext, id: string, words: string): Promise<MyRequest> {
  if (!await isOwn(ctx, id)) throw new Failure("not_found");
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const { developer_id: askedBy } = ownerOf(ctx);
  await ctx.storage.commit(addWordsTo, { actor, id, askedBy, words });
  return await get(ctx, id);
}

/** Reminds those who decide of a request of the caller's that is late. See remind there. */
export async function remind(ctx: MyContext, id: string): Promise<MyRequest> {
  const row = await ownRow(ctx, id, await theirsOf(ctx));
  if (!row) throw new Failure("not_found");
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const { developer_id: askedBy } = ownerOf(ctx);
  const usual_seconds = (await usualTimes(ctx))(termsOf(row).plans);
  await ctx.storage.commit(remindOf, { actor, id, askedBy, usual_seconds });
  return await get(ctx, id);
}

async function answerOf(
  ctx: MyContext,
  id: string,
  offer_id: string,
  idempotency: Idempotency,
) {
  if (!await isOwn(ctx, id)) throw new Failure("not_found");
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const call = idempotentCall(ctx.principal, actor.now, idempotency);
  return { actor, id, offer_id, askedBy: ownerOf(ctx).developer_id, idempotency: call };
}

/** Whether a request is the caller's; of one that is not there: no. */
async function isOwn(ctx: MyContext, id: string): Promise<boolean> {
  return await ownRow(ctx, id, await theirsOf(ctx)) !== undefined;
}

async function ownRow(ctx: MyContext, id: string, theirs: Theirs): Promise<V1Row | undefined> {
  const { org_id, developer_id } = ownerOf(ctx);
  const row = await findV1(ctx.storage.reader, { org_id, id });
  return row?.by_user === developer_id && theirs.isRequest(row.instant) ? row : undefined;
}

async function serialize(
  ctx: MyContext,
  rows: readonly V1Row[],
  theirs: Theirs,
): Promise<MyRequest[]> {
  if (rows.length === 0) return [];
  const { storage: { reader }, clock } = ctx;
  const owner = ownerOf(ctx);
  const plans = rows.map((row) => termsOf(row).plans);
  const offers = rows.map((row) => offerIn(row.offer));
  const offered = offers.map((offer) => offer?.terms.plans ?? []);
  const namesOf = await planNamer(ctx, [...plans, ...offered]);
  const keyOf = await keysFinder(ctx, rows, theirs);
  const usual = await usualTimes(ctx);
  const withdrawn = await withdrawnFinder(ctx, rows);
  const waiting = await waitingKeys(reader, owner, toTimestamp(clock.now()));
  return rows.map((row, i) => {
    const key = row.state === "issued" ? keyOf(row) : undefined;
    return {
      id: row.id,
      state: STATES[row.state],
      plans: namesOf(plans[i] ?? []),
      fields: parseHead(row).fields,
      date_created: parseTail(row).date_created,
      decided_at: row.state === "issued" ? row.issued_at : row.decided_at,
      // The reason of an approval is for those who approve.
      reason: row.state === "declined" ? row.decision_reason : null,
      message: row.message,
      granted: grantedIn(row.granted),
      later_end: row.asked_end === null ? null : { key: parseHead(row).key, until: row.asked_end },
      added_words: toAdded(row),
      late_from: row.state === "pending" ? lateFrom(row, usual(plans[i] ?? [])) : null,
      reminded_at: row.reminded_at,
      expires_at: toEnd(row, clock.now()),
      expired: hasExpired(row),
      offer: toOffer(offers[i] ?? null, namesOf, clock.now()),
      no_longer_offered: withdrawn(row),
      key: key
        ? { id: key.key_id, mask: key.mask, waits_until: waiting.get(key.key_id) ?? null }
        : null,
    };
  });
}

/** Finds the plans of a request without a key that can't be requested any more. */
async function withdrawnFinder(ctx: MyContext, rows: readonly V1Row[]) {
  const open = rows.filter((row) => row.state !== "issued" && row.asked_end === null);
  const named = open.flatMap((row) => termsOf(row).plans);
  const { org_id } = ownerOf(ctx);
  const withdrawn = named.length === 0
    ? []
    : await withdrawnPlans(ctx.storage.reader, org_id, named);
  const apis = await offerOf(ctx);
  return (row: V1Row): MyRequest["no_longer_offered"] => {
    const { plans } = termsOf(row);
    const own = open.includes(row) ? withdrawn.filter(({ id }) => plans.includes(id)) : [];
    if (own.length === 0) return null;
    // as: draft wrote exactly this.
    const entry = JSON.parse(row.sent_entry ?? "{}") as { api_id?: string };
    const asked = [parseHead(row).for_api, entry.api_id];
    const api = apis.find(({ id }) => asked.includes(id));
    return { plans: own.map(({ id, name }) => ({ id, name })), api_id: api?.id ?? null };
  };
}

/** From when on a request that waits is late, where it is known how long they wait. */
function lateFrom({ instant }: V1Row, seconds: number | null): string | null {
  return seconds === null ? null : toTimestamp(Date.parse(instant) + seconds * 1000);
}

/** An offer as anyone who asked reads it: never the reason, nor who made it. */
function toOffer(
  offer: Offer | null,
  namesOf: Awaited<ReturnType<typeof planNamer>>,
  now: number,
): MyRequest["offer"] {
  return offer && {
    id: offer.id,
    state: offerState(offer, now),
    offered_at: offer.at,
    expires_at: offer.expires_at,
    terms: offer.terms,
    plans: offer.terms.plans && namesOf(offer.terms.plans),
    message: offer.message,
    words: offer.answer?.words ?? null,
  };
}

/** Finds the key of a request that was approved: the newest, where it was rotated since. */
async function keysFinder(ctx: MyContext, rows: readonly V1Row[], theirs: Theirs) {
  const issued = rows.filter(({ state }) => state === "issued").map(({ id }) => id);
  const keys = (await keysOfRequests(ctx.storage.reader, ownerOf(ctx), issued))
    .filter(({ key_id }) => theirs.isKey(key_id))
    .toSorted((a, b) =>
      Number(a.replaced_by !== null) - Number(b.replaced_by !== null) ||
      (a.issued_at < b.issued_at ? 1 : -1)
    );
  return ({ id }: V1Row) => keys.find(({ request_id }) => request_id === id);
}
