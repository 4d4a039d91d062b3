import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { cursorCover } from "../../calls/cursor-cover.ts";
import { valuesOf } from "../../contract/filters.ts";
import { requestFilters } from "../../contract/list-filters.ts";
import { Answer } from "../../kernel/answer.ts";
import { isCursor, type Place } from "../../kernel/cursor.ts";
import { Failure } from "../../kernel/failure.ts";
import { parseTimestamp } from "../../kernel/timestamps.ts";
import { type Source, source, walk } from "../../kernel/walk.ts";
import { findPlansOfApi } from "../plans/catalogue/catalogue.store.ts";
import { type CalledPlans, plansCalled } from "../plans/catalogue/plans-called.ts";
import type { CatalogueContext } from "../plans/catalogue/live-catalogue.ts";
import { type Coverage, coverageOfCaller } from "../plans/coverage.ts";
import { everyIdOf } from "../plans/plan-ids.store.ts";
import type { RequestState } from "./key-request.ts";
import { peopleWhoApprove } from "../people/people.store.ts";
import { askedPolicyIn } from "./asked-policy.ts";
import { counters } from "./request-counters.ts";
import { revisions } from "./revision.ts";
import { UNASSIGNED } from "./assigned.ts";
import { catchUp, searchRequests } from "./search-requests.ts";
import { searchText } from "./search-text.ts";
import { toDetail, toV1 } from "./show-v1.ts";
import { termsOf } from "./stored-request.ts";
import type { listQuery } from "./v1.contract.ts";
import { decidedList } from "./decided-requests.store.ts";
import {
  type BriefRow,
  findBriefs,
  findV1,
  findV1Of,
  type V1Row,
  type Walk,
  walkRequests,
} from "./v1.store.ts";
import { whoMayDecide } from "./who-may-decide.ts";
import { isMyTurn, isNobodysTurn } from "./whose-turn.service.ts";
import { isWithin, textWithin } from "./within-scope.ts";

/** The filters of a list. */
export type ListQuery = z.output<typeof listQuery>;

/** A page as JSON text, and where the next one starts. */
interface ListPage {
  text: string;
  next_cursor: string | null;
}

/** A list of up to so many requests is walked for a search too. */
const SHORT_LIST = 1000;
/** Plans of one API that are walked side by side. */
const MOST_PLANS = 50;

/**
 * A page of key requests. Every source walks one index, so that a page costs the same however many
 * there are, and rows that are inserted meanwhile move nothing. Throws `invalid_input` for a cursor
 * of another list.
 */
export async function listV1(ctx: CatalogueContext, query: ListQuery): Promise<ListPage> {
  const { rows, next_cursor, isComplete } = await findMatching(ctx, query);
  return await pageOf(ctx, rows, next_cursor, isComplete);
}

/** Rows of a list that are not shown yet. */
export interface Matching {
  rows: V1Row[];
  next_cursor: string | null;
  /** False where a search may lack the newest. */
  isComplete: boolean;
}

/** The rows of such a page. */
export async function findMatching(ctx: RequestContext, sent: ListQuery): Promise<Matching> {
  const query = sent.assignee === "me" ? { ...sent, assignee: ctx.principal.user_id } : sent;
  if (query.mine) return await findMine(ctx, query);
  if (query.waits_for !== undefined) return await findWaiting(ctx, query);
  return await findFiltered(ctx, query);
}

/** The caller's requests: assigned to them, or waiting for their approval. */
async function findMine(ctx: RequestContext, query: ListQuery): Promise<Matching> {
  const { state = "pending", waits_for, sort = "oldest" } = query;
  if (state !== "pending" || waits_for !== undefined || sort === "decided_at") {
    const message = "mine: goes with state pending, and without waits_for";
    throw new Failure("invalid_input", { message, details: [message] });
  }
  const isTurn = await isMyTurn(ctx) ?? (() => false);
  const isMine = (row: V1Row) => row.assignee === ctx.principal.user_id || isTurn(row);
  return await findFiltered(ctx, { ...query, state, sort }, isMine);
}

/** Those whose turn it is: looked for among what waits, as any filter without an index. */
async function findWaiting(
  ctx: RequestContext,
  { waits_for, ...query }: ListQuery,
): Promise<Matching> {
  const { state = "pending", sort } = query;
  if (state !== "pending" || sort === "decided_at") {
    const message = `waits_for: ${waits_for} goes with state pending`;
    throw new Failure("invalid_input", { message, details: [message] });
  }
  const isMeant = waits_for === "me"
    ? await isMyTurn(ctx)
    : await isNobodysTurn(ctx.storage.reader, ctx.principal.org_id, ctx.clock.now());
  if (!isMeant) return { rows: [], next_cursor: null, isComplete: true };
  return await findFiltered(ctx, { ...query, state }, isMeant);
}

async function findFiltered(
  ctx: RequestContext,
  query: ListQuery,
  isMeant: (row: V1Row) => boolean = () => true,
): Promise<Matching> {
  if (query.sort === "decided_at") return await findDecided(ctx, query);
  const newestFirst = query.sort !== "oldest";
  const searching = await searches(ctx, query, newestFirst);
  const called = await calledBy(ctx, query);
  const isComplete = !searching || (await catchUp(ctx) && called.areAll);
  const coverage = await coverageOfCaller(ctx.storage.reader, ctx.principal);
  const plans = within(await plansOf(ctx, query), coverage);
  const isWanted = filterOf(plans, query, coverage, called.ids);
  const list = {
    order: orderOf(searching, newestFirst),
    wanted: (row: V1Row) => isWanted(row) && isMeant(row),
    ascending: !newestFirst,
    cover: cursorCover(ctx),
  };
  const found = searching
    ? await walk({
      ...list,
      first: { sort: "", id: "" },
      sources: [searchRequests(ctx, query, { newestFirst, plans: called.ids })],
    }, query)
    : await walk({
      ...list,
      first: startOf(query, newestFirst),
      sources: walksOf(query, plans).map((one) => sourceOf(ctx, one, newestFirst)),
      // The results of a search are not quite in the order of their instants.
      isPast: endOf(query, newestFirst),
    }, query);
  return { ...found, isComplete };
}

/** The plans that are searched by their names, or by those of their APIs. */
async function calledBy(
  { storage: { reader }, principal: { org_id } }: RequestContext,
  { q }: ListQuery,
): Promise<CalledPlans> {
  return q === undefined ? { ids: new Set(), areAll: true } : await plansCalled(reader, org_id, q);
}

/**
 * Finds by the time of the decision. Throws `invalid_input` for a filter with which no index has
 * that order.
 */
async function findDecided(ctx: RequestContext, query: ListQuery): Promise<Matching> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const { state, ...others } = valuesOf(requestFilters, query);
  const isNarrowed = Object.keys(others).length > 0;
  if (state === undefined || state === "pending" || isNarrowed) {
    const message = "sort: decided_at goes with state issued or declined, and with no other filter";
    throw new Failure("invalid_input", { message, details: [message] });
  }
  const descending = query.direction === "desc";
  const coverage = await coverageOfCaller(reader, ctx.principal);
  const list = decidedList(reader, org_id, { state, descending });
  const found = await walk(
    coverage
      ? { ...list, wanted: (row: V1Row) => isWithin(coverage, row), cover: cursorCover(ctx) }
      : list,
    query,
  );
  return { ...found, isComplete: true };
}

/** The name of an order, for its cursors. */
function orderOf(searching: boolean, newestFirst: boolean): string {
  return `${searching ? "found" : "asked"} ${newestFirst ? "newest" : "oldest"}`;
}

/**
 * Whether the index of trigrams is asked. Not for texts that are too short for it, and not where
 * the list itself is short: then `q` is one more filter of it. A page goes on as the one before
 * began.
 */
async function searches(
  ctx: RequestContext,
  query: ListQuery,
  newestFirst: boolean,
): Promise<boolean> {
  const { q, cursor, developer, state } = query;
  const isShort = developer !== undefined || assigneeIn(query) !== undefined;
  if (q === undefined || isShort || [...q].length < 3) return false;
  if (cursor !== undefined) {
    return isCursor(cursor, orderOf(true, newestFirst), cursorCover(ctx));
  }
  if (state === undefined) return true;
  const { storage: { reader }, principal: { org_id } } = ctx;
  return await counters[state].count(reader, org_id) > SHORT_LIST;
}

/** The plans that are walked: within a scope those of it, where they are few. */
function within(
  plans: string[] | undefined,
  coverage: Coverage | undefined,
): string[] | undefined {
  if (!coverage) return plans;
  if (plans) return plans.filter((one) => coverage.plans.has(one));
  return coverage.plans.size > MOST_PLANS ? undefined : [...coverage.plans];
}

/** One key request in any state, with its ETag. Throws `not_found`. */
export async function getV1(
  ctx: CatalogueContext,
  id: string,
): Promise<Answer<string>> {
  const { storage: { reader }, principal: { org_id }, liveCatalogue } = ctx;
  const row = await findV1(reader, { org_id, id });
  const coverage = await coverageOfCaller(reader, ctx.principal);
  if (!row || (coverage && !isWithin(coverage, row))) throw new Failure("not_found");
  const live = await liveCatalogue.at(reader, org_id, row.catalogue_revision);
  const revision = (await revisions())(row);
  const all = await findBriefs(reader, { org_id, by_user: row.by_user });
  const briefs = coverage ? await briefsWithin(ctx, all, coverage) : all;
  const may_approve = await whoMayApprove(ctx, row);
  const moment = { revision, briefs, may_approve, now: ctx.clock.now() };
  const text = toDetail(row, org_id, live, moment);
  return new Answer(coverage ? textWithin(coverage, text) : text, { etag: `"${revision}"` });
}

/**
 * A request behind a change that was made. If it was deleted since, there is nothing to show, and
 * `not_found` would mean that nothing was done. Throws `deleted_meanwhile`.
 */
export async function changedV1(ctx: CatalogueContext, id: string): Promise<Answer<string>> {
  try {
    return await getV1(ctx, id);
  } catch (error) {
    if (!(error instanceof Failure && error.code === "not_found")) throw error;
    throw new Failure("deleted_meanwhile");
  }
}

/** Those of a developer's other requests that are within a scope. */
export async function briefsWithin(
  { storage: { reader }, principal: { org_id } }: RequestContext,
  briefs: readonly BriefRow[],
  coverage: Coverage,
): Promise<BriefRow[]> {
  const rows = await findV1Of(reader, org_id, briefs.map(({ id }) => id));
  const seen = rows.filter((row) => isWithin(coverage, row)).map(({ id }) => id);
  return briefs.filter(({ id }) => seen.includes(id));
}

/** People who are named of those who may give a step, at the most. */
const MOST_NAMED = 50;

/** The people who may give the present step of a waiting request; none if it has no step. */
async function whoMayApprove(
  { storage: { reader }, principal: { org_id }, clock }: CatalogueContext,
  row: V1Row,
): Promise<{ id: string; name: string }[]> {
  if (askedPolicyIn(row.policy)?.outcome !== "steps") return [];
  const people = await peopleWhoApprove(reader, org_id);
  const of = { people, now: clock.now(), most: MOST_NAMED };
  const deciders = await whoMayDecide(reader, org_id, row, of);
  return deciders.map(({ id, name }) => ({ id, name }));
}

async function pageOf(
  ctx: CatalogueContext,
  rows: readonly V1Row[],
  next_cursor: string | null,
  isComplete: boolean,
): Promise<ListPage> {
  const { storage: { reader }, principal: { org_id }, liveCatalogue } = ctx;
  const view: string[] = [];
  const revisionOf = await revisions();
  const now = ctx.clock.now();
  const coverage = await coverageOfCaller(reader, ctx.principal);
  for (const row of rows) {
    const live = await liveCatalogue.at(reader, org_id, row.catalogue_revision);
    const text = toV1(row, org_id, live, { revision: revisionOf(row), now });
    view.push(coverage ? textWithin(coverage, text) : text);
  }
  const text = `{"data":[${view.join(",")}],"next_cursor":${JSON.stringify(next_cursor)}${
    isComplete ? "" : `,"incomplete":true`
  }}`;
  return { text, next_cursor };
}

type WalkOf = { walk: Walk; named?: string; state?: RequestState };

/** The narrowest indexes: a developer's own, else those of the plans, else those of the state. */
function walksOf(query: ListQuery, plans: readonly string[] | undefined): WalkOf[] {
  const { developer } = query;
  if (developer !== undefined) return [{ walk: "developer", named: developer }];
  const assignee = assigneeIn(query);
  if (assignee !== undefined) return [{ walk: "assignee", named: assignee }];
  // Only what waits is assigned to anybody or no one.
  const state = query.assignee === undefined ? query.state : "pending";
  if (plans) {
    const states: RequestState[] = state ? [state] : ["pending", "issued", "declined"];
    return plans.flatMap((named) =>
      states.map((one) => ({ walk: "plan" as const, named, state: one }))
    );
  }
  switch (state) {
    case undefined:
      return [{ walk: "open" }, { walk: "declined" }];
    case "pending":
      return [{ walk: "unapproved" }, { walk: "waiting" }];
    default:
      return [{ walk: state }];
  }
}

/** The person to whom requests have to be assigned; undefined: it is no question of one. */
function assigneeIn({ assignee }: ListQuery): string | undefined {
  return assignee === UNASSIGNED ? undefined : assignee;
}

/** Every id of the plans that are asked for; undefined: any. */
async function plansOf(ctx: RequestContext, query: ListQuery): Promise<string[] | undefined> {
  const { plan, api } = query;
  const { storage: { reader }, principal: { org_id } } = ctx;
  const named = plan === undefined ? undefined : await everyIdOf(reader, org_id, [plan]);
  if (api === undefined) return named;
  const ofApi = await findPlansOfApi(reader, org_id, api, MOST_PLANS);
  const plans = await everyIdOf(reader, org_id, [...new Set(ofApi)]);
  return named ? plans.filter((one) => named.includes(one)) : plans;
}

function sourceOf(
  ctx: RequestContext,
  one: WalkOf,
  newestFirst: boolean,
): Source<V1Row> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  return source(
    (place, limit) => walkRequests(reader, org_id, one, { newestFirst, place, limit }),
    (row) => ({ sort: row.instant, id: row.id }),
  );
}

function filterOf(
  plans: readonly string[] | undefined,
  query: ListQuery,
  coverage: Coverage | undefined,
  called: ReadonlySet<string>,
) {
  const { state, developer, assignee } = query;
  const q = query.q?.toLowerCase();
  const after = instantOf(query.created_after) ?? "";
  const before = instantOf(query.created_before) ?? LAST;
  return (row: V1Row): boolean =>
    (state === undefined || row.state === state) &&
    (developer === undefined || row.by_user === developer) &&
    (assignee === undefined ||
      (row.state === "pending" && (row.assignee ?? UNASSIGNED) === assignee)) &&
    (plans === undefined || plans.includes(row.for_plan)) &&
    row.instant >= after && row.instant < before &&
    (q === undefined || searchText(row).includes(q) ||
      termsOf(row).plans.some((one) => called.has(one))) &&
    (coverage === undefined || isWithin(coverage, row));
}

/** Sorts after every instant. */
const LAST = "~";

function instantOf(time: string | undefined): string | undefined {
  return time === undefined ? undefined : parseTimestamp(time)?.instant;
}

/** Before every row that is asked for. */
function startOf(query: ListQuery, newestFirst: boolean): Place {
  const sort = newestFirst
    ? instantOf(query.created_before) ?? LAST
    : instantOf(query.created_after) ?? "";
  return { sort, id: "" };
}

/** Whether a walk has come past all that is asked for. */
function endOf(query: ListQuery, newestFirst: boolean): (row: V1Row) => boolean {
  const after = instantOf(query.created_after) ?? "";
  const before = instantOf(query.created_before) ?? LAST;
  return newestFirst ? (row) => row.instant < after : (row) => row.instant >= before;
}
