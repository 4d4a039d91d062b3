import type { z } from "zod";
import type { v1Plan } from "../../src/features/plans/catalogue/v1.contract.ts";
import { listed, say } from "../said.ts";
import { api, codeOf } from "./client.ts";
import { getPlan, listPlans } from "./endpoints.ts";
import { useQuery } from "./queries.ts";
import { may, session } from "./session.ts";
import { amountOf, spanOf } from "./spans.ts";
import { grouped } from "./numbers.ts";

/** The fields of a plan that screens show. */
export interface PlanFacts {
  readonly id: string;
  readonly name: string;
  /** The APIs that it opens, in words. */
  readonly apis: string;
  readonly apiIds: readonly string[];
  /** Their names, in the order of the ids. */
  readonly apiNames: readonly string[];
  readonly authType: string;
  /** Calls in seconds; no limit where it is 0 or -1. */
  readonly rate: number;
  readonly per: number;
  /** Calls in seconds of renewal; likewise. */
  readonly quota: number;
  readonly renewal: number;
  /** How long its keys live, in words; undefined: for good. */
  readonly life: string | undefined;
}

const NONE: ReadonlyMap<string, PlanFacts> = new Map();

/**
 * Plans that are read for names and filters; an organisation with more has its ids shown beyond
 * these.
 */
const MOST_PAGES = 10;

/**
 * Plans by either of their ids; empty until they are read. They change seldom, so they are read
 * once in five minutes.
 */
export function usePlans(): ReadonlyMap<string, PlanFacts> {
  return useFacts().data ?? NONE;
}

/** Whether these are all that come for now: they are read, or could not be. */
export function usePlansSettled(): boolean {
  const { data, error } = useFacts();
  return data !== undefined || error !== null || !may("portal:read");
}

function useFacts() {
  return useQuery({
    queryKey: ["plans", "facts"],
    queryFn: readPlans,
    staleTime: 5 * 60_000,
    enabled: session.value === "unknown" || may("portal:read"),
  });
}

/** Each plan once. */
export function usePlanList(): PlanFacts[] {
  return [...new Set(usePlans().values())];
}

/** "Gold · Orders": a plan with the APIs that it is for, unless its name says them. */
export function planTitle({ name, apiNames }: PlanFacts): string {
  const others = apiNames.filter((api) => !name.toLowerCase().includes(api.toLowerCase()));
  return others.length === 0 ? name : say`${name} · ${listed(others)}`;
}

/** The plans that a request asks for, each once. */
export function askedPlans(
  { for_plan, plans }: { for_plan: string; plans: readonly string[] },
): string[] {
  return [...new Set([for_plan, ...plans])].filter((id) => id !== "");
}

/**
 * The title of the plans that a request asks for, in equal words everywhere. One that is gone, or
 * that no one knows, has the catalogue's name from when it was asked for, else its id.
 */
export function titleOf(
  entry: string,
  ids: readonly string[],
  plans: ReadonlyMap<string, PlanFacts>,
): string {
  const titles = ids.map((id, at) => {
    const plan = plans.get(id);
    return plan ? planTitle(plan) : (at === 0 && entry) || id;
  });
  return titles.length === 0 ? entry || "no plan" : listed(titles, "; ");
}

/** "60 calls a minute · keys expire after 90 days": all that a plan grants. */
export function grantOf(plan: PlanFacts): string {
  return listed(
    [limitsOf(plan), plan.life ? say`keys expire ${plan.life}` : "keys never expire"],
    " · ",
  );
}

/** Those of these plans that do not exist; empty until the server has answered. */
export function useUnknownPlans(ids: readonly string[]): readonly string[] {
  const plans = usePlans();
  // Beyond those that are read for names there may be more, so each is asked for by itself.
  const missing = [...new Set(ids)].filter((id) => !plans.has(id));
  return useQuery({
    queryKey: ["plans", "unknown", ...missing],
    queryFn: async () => (await Promise.all(missing.map(unknownOf))).flat(),
    enabled: plans !== NONE,
  }).data ?? [];
}

function unknownOf(id: string): Promise<string[]> {
  return api.call(getPlan, { params: { id } })
    .then(() => [], (error) => codeOf(error) === "not_found" ? [id] : []);
}

async function readPlans(): Promise<ReadonlyMap<string, PlanFacts>> {
  const plans = new Map<string, PlanFacts>();
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const { data, next_cursor } = await api.call(listPlans, { query: { limit: 100, cursor } });
    for (const plan of data) {
      const facts = factsOf(plan);
      plans.set(plan._id, facts).set(plan.id, facts);
    }
    if (next_cursor === null) break;
    cursor = next_cursor;
  }
  return plans;
}

function factsOf(plan: z.output<typeof v1Plan>): PlanFacts {
  const apiIds = Object.keys(plan.access_rights);
  const apiNames = Object.entries(plan.access_rights).map(([id, { api_name }]) =>
    typeof api_name === "string" && api_name !== "" ? api_name : id
  );
  return {
    id: plan.id,
    name: plan.name,
    apis: listed(apiNames),
    apiIds,
    apiNames,
    authType: plan.auth_type,
    rate: plan.rate,
    per: plan.per,
    quota: plan.quota_max,
    renewal: plan.quota_renewal_rate,
    life: plan.key_expires_in > 0 ? `after ${amountOf(plan.key_expires_in)}` : undefined,
  };
}

/** "1,000 calls a minute, 300,000 in 30 days". */
export function limitsOf({ rate, per, quota, renewal }: PlanFacts): string {
  const parts = [
    rate > 0 ? `${grouped(rate)} calls ${spanOf(per)}` : "any rate",
    ...quota > 0 ? [`${grouped(quota)} ${renewal > 0 ? spanOf(renewal) : "in all"}`] : [],
  ];
  return listed(parts);
}
