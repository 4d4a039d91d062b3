import type { UnknownPlanChoice } from "../../calls/context.ts";
import type { PlanRules } from "../plans/plan.ts";
import type { PlanNames, Wanted } from "./gateway.ts";

/** What of a key decides about what is to stand at a gateway. */
export interface PresentKey {
  readonly state: "active" | "suspended" | "revoked";
  readonly plans: readonly string[];
  readonly expires_at: string | null;
  readonly conditions: string | null;
  /** False: its row is not as it was written, so nothing may open by it. */
  readonly isWhole: boolean;
}

/** A plan with both of its ids: `id` is the interface's `_id`, `given_id` its `id`. */
export type KnownPlan = PlanRules & { given_id: string };

/** A plan that a key names, with what it says; undefined: the organisation never had it. */
export type NamedPlan = readonly [name: string, rules: KnownPlan | undefined];

/** Why a key is not brought to a gateway although it is active. */
export type Unfit = "conditions" | "damaged";

/**
 * What is to stand at a gateway that holds keys of `ofPlans`, null: of all. `unfit`: why it opens
 * less there than here; else "".
 */
export function wantedOf(
  key: PresentKey | undefined,
  plans: readonly NamedPlan[],
  { ofPlans, unknownPlan }: { ofPlans: readonly string[] | null; unknownPlan: UnknownPlanChoice },
): { wanted: Wanted; unfit: Unfit | "" } {
  if (!key || key.state === "revoked") return { wanted: { is: "absent" }, unfit: "" };
  const here = plans.filter((plan) =>
    ofPlans === null || namesOf(plan).some((one) => ofPlans.includes(one))
  );
  if (here.length === 0) return { wanted: { is: "absent" }, unfit: "" };
  const live = here.filter(([, rules]) =>
    rules ? rules.active && !rules.deleted : unknownPlan === "allow"
  );
  const closed = { is: "closed", plans: here.map(namesOf) } as const;
  if (key.state === "suspended" || live.length === 0) return { wanted: closed, unfit: "" };
  if (!key.isWhole) return { wanted: closed, unfit: "damaged" };
  // What it was granted on would not hold there.
  if (key.conditions !== null) return { wanted: { is: "absent" }, unfit: "conditions" };
  const expires = key.expires_at === null ? 0 : Math.floor(Date.parse(key.expires_at) / 1000);
  return { wanted: { is: "open", plans: live.map(namesOf), expires }, unfit: "" };
}

function namesOf([name, rules]: NamedPlan): PlanNames {
  const others = rules ? [rules.id, rules.given_id] : [];
  return [name, ...new Set(others.filter((one) => one !== name))];
}
