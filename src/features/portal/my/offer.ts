import { Failure } from "../../../kernel/failure.ts";
import { authTypeOf, type CatalogueEntry } from "../../plans/catalogue/catalogue-entry.ts";
import {
  apisOf,
  type CatalogueApi,
  describe,
  nameByPlans,
} from "../../plans/catalogue/catalogue-api.ts";
import { type EntryRow, listEntries } from "../../plans/catalogue/catalogue.store.ts";
import { type ApiVisibility, sees, visibilityIn } from "../../plans/catalogue/api-visibility.ts";
import { visibilitiesOf } from "../../plans/catalogue/api-visibilities.store.ts";
import type { CatalogueContext } from "../../plans/catalogue/live-catalogue.ts";
import { verifiedAddress } from "../../developers/is-verified.ts";
import { findTags } from "../../developers/developer-tags.store.ts";
import { tagsIn } from "../../developers/developer-tags.ts";
import { v1PlansOf } from "../../plans/catalogue/v1.service.ts";
import { toAuthType } from "../../plans/plan.ts";
import { planViewsOf } from "../../plans/plans.store.ts";
import { type Part, rowsOf } from "../../../storage/touched-rows.ts";
import { type MyContext, ownerOf } from "./own.ts";

type V1Plan = Awaited<ReturnType<typeof v1PlansOf>>[number];

/** A plan as it is offered to everybody. */
export interface OfferedPlan extends
  Pick<
    V1Plan,
    | ("name" | "rate" | "per" | "quota_max" | "quota_renewal_rate" | "key_expires_in")
    | ("expiry_applies_to" | "price_text")
  > {
  /** As the catalogue names it. */
  readonly id: string;
  /** All ids that it has. */
  readonly ids: readonly string[];
  readonly way: "at_once" | "by_approval" | "without_key";
  readonly requested_fields: V1Plan["key_request_fields"];
  /** The APIs that it names; none: its keys are valid for all. */
  readonly opens: readonly string[];
}

/** An API as it is offered to everybody. */
export interface OfferedApi {
  readonly id: string;
  readonly name: string;
  readonly short_description: string;
  readonly long_description: string;
  readonly version: string;
  /** Its own address; "": the organisation's. */
  readonly base_url: string;
  /** The document that the catalogue names; "": none. */
  readonly document: string;
  readonly seen: ApiVisibility;
  readonly needs_key: boolean;
  readonly plans: readonly OfferedPlan[];
}

/** The APIs and plans that an organisation offers. */
interface Offer {
  readonly apis: readonly OfferedApi[];
  /** As the read cache counts it. */
  readonly length: number;
}

/**
 * The APIs that the calling developer sees, with the plans that they can request: an API for
 * invited developers does not exist for others. Neither does a plan that such an API is offered by
 * or that names it, at any other API.
 */
export async function offerOf(ctx: MyContext): Promise<readonly OfferedApi[]> {
  const { org_id, developer_id: id } = ownerOf(ctx);
  const { apis } = await wholeOffer(ctx);
  if (apis.every(({ seen }) => seen.visibility !== "invited")) return apis;
  const { reader } = ctx.storage;
  const invitee = {
    address: await verifiedAddress(reader, org_id, id),
    tags: tagsIn(await findTags(reader, { org_id, id }) ?? { tags: null }),
  };
  return withoutHidden(apis, (api) => sees(invitee, api.seen));
}

/** The APIs that everyone may see, with their plans. It holds nothing of any developer. */
export async function publicOffer(ctx: CatalogueContext): Promise<readonly OfferedApi[]> {
  const { apis } = await wholeOffer(ctx);
  return withoutHidden(apis, ({ seen }) => seen.visibility !== "invited")
    .filter(({ seen }) => seen.visibility === "public");
}

/** The parts of the store that an offer is made of. */
export function partsOfOffer(org_id: string): Part[] {
  return TABLES.flatMap((table) => rowsOf(table, org_id));
}

function withoutHidden(
  apis: readonly OfferedApi[],
  isSeen: (api: OfferedApi) => boolean,
): OfferedApi[] {
  const hidden = new Set(apis.filter((api) => !isSeen(api)).map(({ id }) => id));
  const plans = apis.filter(({ id }) => hidden.has(id)).flatMap((api) => api.plans);
  const closed = new Set(plans.flatMap(({ ids }) => ids));
  const isOpen = ({ id, opens }: OfferedPlan) =>
    !closed.has(id) && !opens.some((api) => hidden.has(api));
  return apis.filter(({ id }) => !hidden.has(id))
    .map((api) => ({ ...api, plans: api.plans.filter(isOpen) })).filter(isOffered);
}

/** An API is offered as long as there is a way to call it. */
function isOffered({ plans, needs_key }: OfferedApi): boolean {
  return plans.length > 0 || !needs_key;
}

/**
 * The organisation's offer to its developers, cached while none of its tables have changed: entries
 * that are shown, with the existing active plans. An API is left out if none of its plans is
 * available.
 */
async function wholeOffer(ctx: CatalogueContext): Promise<Offer> {
  const { storage, readCache, principal: { org_id } } = ctx;
  return await readCache.get(`${org_id} my offer`, storage.changes, async () => {
    const apis = await offeredApis(ctx);
    const length = JSON.stringify(apis).length;
    return { answer: { apis, length }, parts: partsOfOffer(org_id) };
  });
}

/** The tables of an offer. */
const TABLES = [
  "catalogue_entries",
  "api_visibilities",
  "catalogues",
  "portal_configurations",
  "plans",
  "plan_ids",
] as const;

/** The plan of this id that is offered and that a key is asked for. Throws `unknown_plan`. */
export async function offeredPlan(ctx: MyContext, id: string): Promise<OfferedPlan> {
  const apis = await offerOf(ctx);
  const plan = apis.flatMap(({ plans }) => plans).find(({ ids }) => ids.includes(id));
  // A hidden plan gets the answer of one that never existed.
  if (!plan || plan.way === "without_key") throw new Failure("unknown_plan");
  return plan;
}

async function offeredApis(ctx: CatalogueContext): Promise<OfferedApi[]> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const view = (await listEntries(reader, { org_id })).filter((entry) => read(entry).show);
  const apis = [...apisOf(view, await visibilitiesOf(reader, org_id)), ...plansAlone(view)];
  const named = [...new Set(view.map(({ policy_id }) => policy_id).filter((id) => id !== ""))];
  const rows = await planViewsOf(reader, org_id, named);
  const each = [...new Map([...rows.values()].map((row) => [row.id, row])).values()];
  const byId = new Map((await v1PlansOf(ctx, each)).map((plan) => [plan._id, plan]));
  const planOf = (id: string) => byId.get(rows.get(id)?.id ?? "");
  return apis.map((api) => offered(api, planOf)).filter(isOffered);
}

/** Entries that name a plan and no API, as portals write for plans of several: each is its own. */
function plansAlone(entries: readonly EntryRow[]): CatalogueApi[] {
  return entries.filter(({ api_id, policy_id }) => api_id === "" && policy_id !== "")
    .map((entry) => ({ id: entry.policy_id, entries: [entry], seen: visibilityIn(undefined) }));
}

function offered(
  api: CatalogueApi,
  planOf: (id: string) => V1Plan | undefined,
): OfferedApi {
  const { id, name, short_description, long_description, documentation, plans, names } = describe(
    api,
  );
  const { version, base_url } = describe(api);
  const known = plans.flatMap((plan) => planOf(plan) ?? []);
  const active = new Map<string, OfferedPlan>();
  for (const one of plans) {
    const plan = planOf(one);
    if (plan?.active && !active.has(plan._id)) active.set(plan._id, offerPlan(one, plan));
  }
  return {
    id,
    name: names.length > 1 ? nameByPlans(id, known) ?? name : name,
    short_description,
    long_description,
    version,
    base_url,
    document: documentation,
    seen: api.seen,
    needs_key: !api.entries.some((entry) => authTypeOf(read(entry)) === "keyless"),
    plans: [...active.values()],
  };
}

function offerPlan(id: string, plan: V1Plan): OfferedPlan {
  const { _id, name, rate, per, quota_max, quota_renewal_rate, key_expires_in } = plan;
  const { expiry_applies_to, price_text } = plan;
  return {
    id,
    ids: [...new Set([id, _id, plan.id])],
    name,
    rate,
    per,
    quota_max,
    quota_renewal_rate,
    key_expires_in,
    expiry_applies_to,
    price_text,
    way: toAuthType(plan.auth_type) === "keyless"
      ? "without_key"
      : plan.approval === "automatic"
      ? "at_once"
      : "by_approval",
    requested_fields: plan.key_request_fields,
    opens: Object.keys(plan.access_rights),
  };
}

function read({ document }: EntryRow): CatalogueEntry {
  // as: the catalogue's store writes exactly this.
  return JSON.parse(document) as CatalogueEntry;
}
