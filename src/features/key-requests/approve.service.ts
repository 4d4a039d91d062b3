import { actorOf, type Idempotency, idempotentCall, may } from "../../calls/principal.ts";
import { Failure } from "../../kernel/failure.ts";
import type { CatalogueContext } from "../catalogue/live-catalogue.ts";
import { newAttempt } from "../keys/credential.ts";
import type { Reveal } from "../keys/issue-credential.transactions.ts";
import { approveTransaction, type AtGateways } from "./approve.transactions.ts";
import { isStep, stepsMissing } from "./steps.transactions.ts";

/**
 * Specification 4.7: the credential, once, and the key that gateways are to have. `idempotency` and
 * `ifMatch`: the call's headers.
 */
export async function approve(
  ctx: CatalogueContext,
  id: string,
  idempotency: Idempotency,
  ifMatch: string[] | null = null,
): Promise<Reveal & AtGateways> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const call = idempotentCall(ctx.principal, actor.now, idempotency);
  const approved = await ctx.storage.commit(approveTransaction, {
    actor,
    id,
    attempt: newAttempt(ctx.settings.keyFormat),
    mayApprove: may(ctx.principal, "approve"),
    ifMatch,
    reason: null,
    idempotency: call,
  }).catch((error) => {
    if (!(error instanceof Failure) || error.code !== "step_given") throw error;
    // Its clients know 400 for what has no key yet.
    throw new Failure("steps_missing", { message: error.message });
  });
  // The step is kept: whoever reads a key out of this answer must be told that there is none.
  if (isStep(approved)) throw stepsMissing(approved);
  return approved;
}
