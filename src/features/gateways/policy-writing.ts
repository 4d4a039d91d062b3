import type { Storage } from "../../storage/storage.ts";
import { everyPlan } from "../plans/every-plan.store.ts";
import type { Plan } from "../plans/plan.ts";
import type { GatewayRow } from "./gateway.ts";
import type { Kind } from "./kind.ts";
import { ofPlansAt } from "./present-key.service.ts";

/** A policy that a gateway did not take is written again so much later. */
const AGAIN_MS = 60_000;

/**
 * Writes plans as policies to gateways that take them so: whenever a plan has changed, since all
 * keys are compared then, and once more where a policy is not as it was written. No key waits for
 * it but those of such a plan.
 */
export class PolicyWriting {
  readonly #again = new Map<string, number>();

  constructor(private readonly storage: Pick<Storage, "reader">) {}

  /** Whether it has to be tried once more. */
  isDue({ id, policies }: GatewayRow): boolean {
    return policies === "write" && (this.#again.get(id) ?? Infinity) <= performance.now();
  }

  /** Writes what differs, where that is due. Throws GatewayAway. */
  async write(gateway: GatewayRow, kind: Kind): Promise<void> {
    const { org_id, id, policies, filled_to, state } = gateway;
    if (policies !== "write" || state === "ending") return;
    if (filled_to !== "" && !this.isDue(gateway)) return;
    const ofPlans = ofPlansAt(gateway);
    const plans: Plan[] = [];
    for await (const { plan } of everyPlan(this.storage.reader, org_id)) {
      if (plan.auth_type === "keyless") continue;
      if (!ofPlans || [plan._id, plan.id].some((one) => ofPlans.includes(one))) plans.push(plan);
    }
    const failed = await kind.writePlans(plans);
    if (failed.length === 0) this.#again.delete(id);
    else this.#again.set(id, performance.now() + AGAIN_MS);
  }
}
