import type { Plan } from "../../plans/plan.ts";
import type { TykCalls } from "./tyk-calls.ts";
import { type Policy, policyDifference, policyFor, policyOf } from "./tyk-policies.ts";

const POLICIES = "/tyk/policies";

/**
 * Makes the policies of these plans, changes those that differ, and reads them back once the
 * gateway has loaded them. A policy keeps the id that it has there; a new one gets the plan's
 * `_id`. Gives the names of plans that have no such policy afterwards.
 */
export async function writePolicies(
  calls: TykCalls,
  org_id: string,
  plans: readonly Plan[],
  read: () => Promise<Policy[]>,
): Promise<string[]> {
  const isOff = (policies: readonly Policy[], plan: Plan) => {
    const policy = policyFor(policies, plan);
    return !policy || policyDifference(policy, plan) !== "";
  };
  const before = await read();
  const off = plans.filter((plan) => isOff(before, plan));
  if (off.length === 0) return [];
  for (const plan of off) {
    const known = policyFor(before, plan);
    const id = known?.id ?? plan._id;
    const path = known ? `${POLICIES}/${encodeURIComponent(id)}` : POLICIES;
    await calls.send(known ? "PUT" : "POST", path, policyOf(plan, org_id, id));
  }
  // Until then it goes by those that it had.
  await calls.send("GET", "/tyk/reload/?block=true");
  const after = await read();
  return off.filter((plan) => isOff(after, plan)).map(({ name }) => name);
}
