import type { z } from "zod";
import { actorOf, type Idempotency, idempotentCall } from "../../../calls/principal.ts";
import { Answer } from "../../../kernel/answer.ts";
import { Failure } from "../../../kernel/failure.ts";
import { newId } from "../../../kernel/ids.ts";
import { source, walk } from "../../../kernel/walk.ts";
import { scopeOf } from "../plan.ts";
import { planViewsOf, readPlan } from "../plans.store.ts";
import type {
  api,
  apiListQuery,
  catalogueApiList,
  editCatalogueApiInput,
  newCatalogueApiInput,
} from "./apis.contract.ts";
import { addApi, changeApi, removeApi } from "./apis.transactions.ts";
import { visibilitiesOf } from "./api-visibilities.store.ts";
import { apiRevision, apisOf, type CatalogueApi, describe, nameByPlans } from "./catalogue-api.ts";
import type { CatalogueContext } from "./live-catalogue.ts";
import { liveEntryInput } from "./portal.contract.ts";
import { seenEntries } from "./seen-entries.service.ts";
import { v1PlansOf } from "./v1.service.ts";

type Api = z.output<typeof api>;
type OfferedPlan = Api["plans"][number];

/** A page of the catalogue's APIs, in its order. Throws `invalid_input` for a foreign cursor. */
export async function list(
  ctx: CatalogueContext,
  query: z.output<typeof apiListQuery>,
): Promise<z.output<typeof catalogueApiList>> {
  const apis = await allOf(ctx);
  const places = new Map(apis.map(({ id }, at) => [id, at]));
  const inOrder = source(
    ({ sort, id }, limit) => {
      // If the last one was deleted meanwhile, those behind it have moved to its position.
      const from = sort === "" ? 0 : (places.get(id) ?? Number(sort) - 1) + 1;
      return Promise.resolve(apis.slice(from, from + limit));
    },
    ({ id }: CatalogueApi) => ({ sort: String(places.get(id)), id }),
  );
  const { rows, next_cursor } = await walk({
    order: "apis catalogue",
    first: { sort: "", id: "" },
    sources: [inOrder],
    wanted: (one) => matches(one, query.q),
  }, query);
  return { data: await viewsOf(ctx, rows), next_cursor };
}

/** One API, with its entity tag. Throws `not_found`. */
export async function get(ctx: CatalogueContext, id: string): Promise<Answer<Api>> {
  const known = (await allOf(ctx)).find((one) => one.id === id);
  const [view] = known ? await viewsOf(ctx, [known]) : [];
  if (!view) throw new Failure("not_found");
  return new Answer(view, { etag: `"${view.revision}"` });
}

/** Adds an API and gives its id; see addApi. */
export async function create(
  ctx: CatalogueContext,
  input: z.output<typeof newCatalogueApiInput>,
  by: Idempotency,
): Promise<string> {
  const { id, ...members } = input;
  const actor = actorOf(ctx.principal, ctx.clock.now());
  return await ctx.storage.commit(addApi, {
    actor,
    id: id || newId(actor.now),
    members: { show: true, ...members },
    blank: liveEntryInput.parse({}),
    idempotency: idempotentCall(ctx.principal, actor.now, by),
  });
}

/** Changes an API; see changeApi. */
export async function change(
  ctx: CatalogueContext,
  id: string,
  members: z.output<typeof editCatalogueApiInput>,
  ifMatch: string[] | null,
): Promise<void> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const blank = liveEntryInput.parse({});
  await ctx.storage.commit(changeApi, { actor, id, members, blank, ifMatch });
}

/** Takes an API out of the catalogue; see removeApi. */
export async function remove(
  ctx: CatalogueContext,
  id: string,
  ifMatch: string[] | null,
): Promise<void> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  await ctx.storage.commit(removeApi, { actor, id, ifMatch });
}

async function allOf(ctx: CatalogueContext): Promise<CatalogueApi[]> {
  const entries = await seenEntries(ctx);
  return apisOf(entries, await visibilitiesOf(ctx.storage.reader, ctx.principal.org_id));
}

function matches(one: CatalogueApi, q: string | undefined): boolean {
  if (q === undefined) return true;
  const { id, names, short_description } = describe(one);
  return [id, ...names, short_description].some((text) =>
    text.toLowerCase().includes(q.toLowerCase())
  );
}

async function viewsOf(ctx: CatalogueContext, apis: readonly CatalogueApi[]): Promise<Api[]> {
  const serialized = apis.map((one) => ({ ...describe(one), revision: apiRevision(one) }));
  const ids = [...new Set(serialized.flatMap(({ plans }) => plans))];
  const rows = await planViewsOf(ctx.storage.reader, ctx.principal.org_id, ids);
  const each = [...new Map([...rows.values()].map((row) => [row.id, row])).values()];
  const view = new Map(
    (await v1PlansOf(ctx, each)).map((plan, at) => [plan._id, { plan, row: each[at] }]),
  );
  const offered = (api_id: string, id: string): OfferedPlan => {
    const { plan, row } = view.get(rows.get(id)?.id ?? "") ?? {};
    if (!plan || !row) return { ...UNKNOWN, id };
    const { name, active, rate, per, quota_max, quota_renewal_rate, auth_type } = plan;
    const { key_expires_in, approval, key_request_fields, keys, pending_requests } = plan;
    const rights = Object.keys(plan.access_rights);
    const opens = scopeOf(readPlan(row)).access && (rights.length === 0 || rights.includes(api_id));
    return {
      _id: plan._id,
      id,
      name,
      valid: opens,
      active,
      rate,
      per,
      quota_max,
      quota_renewal_rate,
      auth_type,
      key_expires_in,
      approval,
      key_request_fields,
      keys,
      pending_requests,
    };
  };
  const nameOf = (api_id: string, plans: readonly string[]) =>
    nameByPlans(api_id, plans.flatMap((id) => view.get(rows.get(id)?.id ?? "")?.plan ?? []));
  return serialized.map(({ names, ...one }) => ({
    ...one,
    name: names.length > 1 ? nameOf(one.id, one.plans) ?? one.name : one.name,
    plans: one.plans.map((id) => offered(one.id, id)),
  }));
}

/** A plan that no one knows, or that is gone. */
const UNKNOWN: OfferedPlan = {
  _id: "",
  id: "",
  name: "",
  valid: false,
  active: false,
  rate: 0,
  per: 0,
  quota_max: -1,
  quota_renewal_rate: 0,
  auth_type: "authToken",
  key_expires_in: 0,
  approval: "manual",
  key_request_fields: [],
  keys: 0,
  pending_requests: 0,
};
