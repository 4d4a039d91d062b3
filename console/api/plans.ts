import { useQuery } from "@tanstack/preact-query";
import type { z } from "zod";
import type { nativePlan } from "../../src/catalogue/native.contract.ts";
import { api } from "./client.ts";
import { listPlans } from "./endpoints.ts";

/** What screens say of a plan. */
export interface PlanFacts {
  readonly id: string;
  readonly name: string;
  /** The APIs that it opens, in words. */
  readonly apis: string;
  readonly apiIds: readonly string[];
  readonly authType: string;
  /** Calls in seconds; 0: no limit. */
  readonly rate: number;
  readonly per: number;
  /** Calls in seconds of renewal; -1: no limit. */
  readonly quota: number;
  readonly renewal: number;
  /** How long its keys live, in words; undefined: for good. */
  readonly life: string | undefined;
}

const NONE: ReadonlyMap<string, PlanFacts> = new Map();

/** Pages of a hundred that are read at the most: further plans show their ids. */
const PAGES = 20;

/** Every plan by its id; empty until they are read. */
export function usePlans(): ReadonlyMap<string, PlanFacts> {
  return useQuery({ queryKey: ["plans", "all"], queryFn: readAll, staleTime: 60_000 }).data ?? NONE;
}

async function readAll(): Promise<ReadonlyMap<string, PlanFacts>> {
  const plans = new Map<string, PlanFacts>();
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page++) {
    const query = cursor === undefined ? { limit: 100 } : { limit: 100, cursor };
    const { data, next_cursor } = await api.call(listPlans, { query });
    for (const plan of data) plans.set(plan.id, factsOf(plan));
    if (next_cursor === null) break;
    cursor = next_cursor;
  }
  return plans;
}

function factsOf(plan: z.output<typeof nativePlan>): PlanFacts {
  const apis = Object.entries(plan.access_rights).map(([id, { api_name }]) => ({
    id,
    name: typeof api_name === "string" && api_name !== "" ? api_name : id,
  }));
  return {
    id: plan.id,
    name: plan.name,
    apis: apis.map(({ name }) => name).join(", "),
    apiIds: apis.map(({ id }) => id),
    authType: plan.auth_type,
    rate: plan.rate,
    per: plan.per,
    quota: plan.quota_max,
    renewal: plan.quota_renewal_rate,
    life: plan.key_expires_in > 0
      ? `${spanOf(plan.key_expires_in).replace(/^(in|a) /, "")} after they are issued`
      : undefined,
  };
}

const number = new Intl.NumberFormat("en");

/** "1,000 calls a minute, 300,000 in 30 days". */
export function limitsOf({ rate, per, quota, renewal }: PlanFacts): string {
  const parts = [
    rate > 0 ? `${number.format(rate)} calls ${spanOf(per)}` : "any rate",
    ...quota >= 0 ? [`${number.format(quota)} ${renewal > 0 ? spanOf(renewal) : "in all"}`] : [],
  ];
  return parts.join(", ");
}

/** "a minute", "in 30 days". */
function spanOf(seconds: number): string {
  const whole: Record<number, string> = {
    1: "a second",
    60: "a minute",
    3600: "an hour",
    86_400: "a day",
  };
  if (whole[seconds]) return whole[seconds];
  if (seconds % 86_400 === 0) return `in ${seconds / 86_400} days`;
  if (seconds % 3600 === 0) return `in ${seconds / 3600} hours`;
  return `in ${seconds} seconds`;
}
