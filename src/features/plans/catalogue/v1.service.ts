import type { z } from "zod";
import { cursorCover } from "../../../calls/cursor-cover.ts";
import { actorOf, type Idempotency, idempotentCall } from "../../../calls/principal.ts";
import { Answer } from "../../../kernel/answer.ts";
import { Failure } from "../../../kernel/failure.ts";
import { newId } from "../../../kernel/ids.ts";
import { problemOfName } from "../../../kernel/name-text.ts";
import { source, walk } from "../../../kernel/walk.ts";
import { rowsOf } from "../../../storage/touched-rows.ts";
import { coverageOfCaller } from "../coverage.ts";
import { countsOfPlans, namesOfPlans } from "../plan-counts.store.ts";
import { planIdsOf } from "../plan-ids.store.ts";
import {
  additionsOf,
  changedPlan,
  emptyPlan,
  leakActionIn,
  newPlanIds,
  type PlanAdditionsChange,
  type PlanChange,
  planRevision,
} from "../plan.ts";
import { findPlanView, plansAfter, type PlanView, readPlan } from "../plans.store.ts";
import { createPlan, removePlan, updatePlan } from "../plans.transactions.ts";
import { changeApproval } from "./approval.transactions.ts";
import { approvalRevision, askingOf, type CatalogueEntry } from "./catalogue-entry.ts";
import { questionsIn } from "./questions.ts";
import { seenEntries } from "./seen-entries.service.ts";
import type { CatalogueContext } from "./live-catalogue.ts";
import type {
  catalogueApis,
  createPlanInput,
  listQuery,
  planApprovalInput,
  v1Plan,
  v1PlanList,
} from "./v1.contract.ts";

type V1Plan = z.output<typeof v1Plan>;

/**
 * A page of plans that the caller sees, newest first. Throws `invalid_input` for a cursor of
 * another list.
 */
export async function listV1(
  ctx: CatalogueContext,
  query: z.output<typeof listQuery>,
): Promise<z.output<typeof v1PlanList>> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const plans = source(
    ({ sort, id }, limit) => plansAfter(reader, org_id, { date_created: sort, id }, limit),
    (row) => ({ sort: row.date_created, id: row.id }),
  );
  const coverage = await coverageOfCaller(reader, ctx.principal);
  const offered = query.offered && await offeredPlans(ctx);
  const { rows, next_cursor } = await walk({
    order: "plans newest",
    first: { sort: "~", id: "" },
    sources: [plans],
    wanted: (row) =>
      matches(row, query) && (!coverage || coverage.plans.has(row.id)) &&
      (!offered || offered.has(row.id) === (query.offered === "true")),
    cover: cursorCover(ctx),
  }, query);
  return { data: await v1PlansOf(ctx, rows), next_cursor };
}

/** The own ids of the plans that an API of the catalogue offers. */
async function offeredPlans(ctx: CatalogueContext): Promise<ReadonlySet<string>> {
  const entries = (await seenEntries(ctx)).filter(({ api_id }) => api_id !== "");
  const named = [...new Set(entries.map(({ policy_id }) => policy_id))];
  const known = await planIdsOf(ctx.storage.reader, ctx.principal.org_id, named);
  return new Set(named.map((one) => known.get(one)?._id ?? one));
}

/**
 * One plan, with its entity tag. Throws `not_found`, for a plan that is gone too, and for one
 * outside of the caller's scope.
 */
export async function getV1(
  ctx: CatalogueContext,
  id: string,
): Promise<Answer<V1Plan>> {
  const { storage: { reader }, principal } = ctx;
  const row = await findPlanView(reader, { org_id: principal.org_id, id });
  const coverage = await coverageOfCaller(reader, principal);
  const isSeen = row && (!coverage || coverage.plans.has(row.id));
  const [view] = isSeen ? await v1PlansOf(ctx, [row]) : [];
  if (!view) throw new Failure("not_found");
  return new Answer(view, { etag: `"${view.revision}"` });
}

/** Adds a plan, gives its `_id`. Throws `invalid_input`, `plan_id_taken` and `plan_name_taken`. */
export async function createV1(
  ctx: CatalogueContext,
  input: z.output<typeof createPlanInput>,
  idempotency: Idempotency,
): Promise<string> {
  const { _id, id, expiry_applies_to, max_keys_per_developer, price_text, ...change } = input;
  if (!change.name) {
    const message = "name: required";
    throw new Failure("invalid_input", { message, details: [message] });
  }
  requirePlanName(change.name);
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const ids = newPlanIds({ _id, id }, newId(actor.now));
  const plan = changedPlan(emptyPlan(ids, change.name), change);
  const call = idempotentCall(ctx.principal, actor.now, idempotency);
  const additions = { expiry_applies_to, max_keys_per_developer, price_text };
  return await ctx.storage.commit(createPlan, { actor, plan, additions, idempotency: call });
}

/** Changes a plan; see updatePlan. */
export async function changeV1(
  ctx: CatalogueContext,
  id: string,
  { expiry_applies_to, max_keys_per_developer, price_text, ...change }:
    & PlanChange
    & PlanAdditionsChange,
  by: { ifMatch: string[] | null; idempotency: Idempotency },
): Promise<void> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const idempotency = idempotentCall(ctx.principal, actor.now, by.idempotency);
  const ifMatch = ofPlan(by.ifMatch);
  const { storage: { reader }, principal: { org_id } } = ctx;
  const before = change.name && await findPlanView(reader, { org_id, id });
  // A name that stays is not held to rules that came after it.
  if (before && before.name !== change.name) requirePlanName(change.name ?? "");
  const additions = { expiry_applies_to, max_keys_per_developer, price_text };
  await ctx.storage.commit(updatePlan, { actor, id, change, additions, ifMatch, idempotency });
}

function requirePlanName(name: string): void {
  const problem = problemOfName(name.trim());
  if (problem === undefined) return;
  const message = `name: ${problem}`;
  throw new Failure("invalid_input", { message, details: [message] });
}

/** Changes how a plan's requests are decided and what they ask; see changeApproval. */
export async function setApproval(
  ctx: CatalogueContext,
  plan: string,
  input: z.output<typeof planApprovalInput>,
  ifMatch: string[] | null,
): Promise<void> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const { approval, key_request_fields } = input;
  const require_key_approval = approval === undefined ? undefined : approval === "manual";
  const change = {
    ...require_key_approval === undefined ? {} : { require_key_approval },
    ...key_request_fields === undefined ? {} : { key_request_fields },
  };
  await ctx.storage.commit(changeApproval, {
    actor,
    plan,
    change,
    strict: ctx.settings.references === "strict",
    ifMatch: ofApproval(ifMatch),
  });
}

/** Deletes a plan; see removePlan. */
export async function removeV1(
  ctx: CatalogueContext,
  id: string,
  ifMatch: string[] | null,
): Promise<void> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  await ctx.storage.commit(removePlan, { actor, id, ifMatch: ofPlan(ifMatch) });
}

/**
 * The APIs of the catalogue with their plans; from memory while neither has changed. Within a scope
 * what its plans stand for.
 */
export async function listApis(ctx: CatalogueContext): Promise<Answer<string>> {
  const { storage, readCache, principal: { org_id } } = ctx;
  // Nothing of it is kept for others.
  if (ctx.principal.covers) return new Answer(JSON.stringify(await apisOf(ctx)));
  const made = async () => ({
    answer: JSON.stringify(await apisOf(ctx)),
    parts: [
      ...rowsOf("catalogue_entries", org_id),
      ...rowsOf("plans", org_id),
      ...rowsOf("plan_ids", org_id),
    ],
  });
  return new Answer(await readCache.get(`${org_id} catalogue apis`, storage.changes, made));
}

async function apisOf(ctx: CatalogueContext): Promise<z.output<typeof catalogueApis>> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const entries = (await seenEntries(ctx)).filter(({ api_id }) => api_id !== "");
  const policies = [...new Set(entries.map(({ policy_id }) => policy_id))];
  const names = await namesOfPlans(reader, org_id, policies);
  const known = await planIdsOf(reader, org_id, policies);
  // A plan that is named by both of its ids is one.
  const apis = new Map<string, { name: string; plans: Map<string, string> }>();
  for (const { api_id, policy_id, document } of entries) {
    // as: the catalogue's store writes exactly this.
    const { name } = JSON.parse(document) as CatalogueEntry;
    const api = apis.get(api_id) ?? { name, plans: new Map() };
    const plan = known.get(policy_id)?._id ?? policy_id;
    if (policy_id !== "" && !api.plans.has(plan)) api.plans.set(plan, policy_id);
    apis.set(api_id, api);
  }
  const data = [...apis].map(([id, { name, plans }]) => ({
    id,
    name,
    plans: [...plans.values()].map((plan) => ({ id: plan, name: names.get(plan) ?? "" })),
  }));
  return { data };
}

/**
 * A plan's entity tag has two parts, its own and the one of how requests are decided: who changes
 * one of the two goes by that alone.
 */
function ofPlan(ifMatch: string[] | null): string[] | null {
  return ifMatch && ifMatch.map((tag) => tag.split(".")[0] ?? "");
}

function ofApproval(ifMatch: string[] | null): string[] | null {
  return ifMatch && ifMatch.map((tag) => tag.split(".")[1] ?? "");
}

function matches(row: PlanView, query: z.output<typeof listQuery>): boolean {
  const { _id, id, name, active, tags } = readPlan(row);
  const q = query.q?.toLowerCase();
  return (query.state === undefined || active === (query.state === "active")) &&
    (q === undefined || [_id, id, name, ...tags].some((text) => text.toLowerCase().includes(q)));
}

/** Stored plans as they are shown, in their order. */
export async function v1PlansOf(
  ctx: CatalogueContext,
  rows: readonly PlanView[],
): Promise<V1Plan[]> {
  const { storage, principal: { org_id }, liveCatalogue, settings } = ctx;
  const ids = rows.map((row) => row.id);
  const counts = await countsOfPlans(storage.reader, org_id, ids);
  const configs = await liveCatalogue.configsOf(storage, org_id, ids);
  const strict = settings.references === "strict";
  return rows.map((row, i) => {
    const plan = readPlan(row);
    const additions = additionsOf(row);
    const { _id, id, name, active, rate, per, quota_max, quota_renewal_rate } = plan;
    const { access_rights, auth_type, tags, key_expires_in } = plan;
    const config = configs[i];
    const { keys = 0, pending_requests = 0 } = counts.get(row.id) ?? {};
    return {
      _id,
      id,
      name,
      active,
      rate,
      per,
      quota_max,
      quota_renewal_rate,
      access_rights,
      auth_type,
      tags,
      key_expires_in,
      when_leaked: leakActionIn(plan),
      ...additions,
      date_created: row.date_created,
      approval: config?.require_key_approval === false ? "automatic" : "manual",
      key_request_fields: questionsIn(askingOf(config).key_request_fields, strict),
      keys,
      pending_requests,
      revision: `${planRevision(plan, additions)}.${approvalRevision(config)}`,
    };
  });
}
