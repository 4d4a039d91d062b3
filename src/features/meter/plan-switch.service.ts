import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf } from "../../calls/principal.ts";
import type { switchPlanEndpoint } from "./meter.contract.ts";
import { type Decided, switchPlan } from "./plan-switch.transactions.ts";

/** Sets who decides about the keys of a plan. Throws `not_found`. */
export async function setDecided(
  ctx: RequestContext,
  id: string,
  decided: Decided,
): Promise<z.output<typeof switchPlanEndpoint.response>> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const set = await ctx.storage.commit(switchPlan, { actor, plan: id, decided });
  return {
    plan: set.plan,
    decided: set.decided,
    decided_at: set.changed_at,
    decided_by: set.changed_by,
  };
}
