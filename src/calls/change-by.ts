import type { Actor } from "../changes/audit.ts";
import type { IdempotentCall } from "../changes/idempotent-answers.ts";
import type { Transaction } from "../storage/storage.ts";
import type { RequestContext } from "./context.ts";
import { actorOf, type Idempotency, idempotentCall } from "./principal.ts";

/** Commits a change that the caller makes now. Throws what the change throws. */
export function changeBy<Input extends { actor: Actor }, Output>(
  { storage, principal, clock }: RequestContext,
  change: Transaction<Input, Output>,
  input: Omit<Input, "actor">,
): Promise<Output> {
  // as: `actor` is what was left out.
  return storage.commit(change, { ...input, actor: actorOf(principal, clock.now()) } as Input);
}

/**
 * Makes the change once for each `Idempotency-Key`: a repeat gets the answer of the first call.
 */
export function changeOnceBy<
  Input extends { actor: Actor; idempotency: IdempotentCall | null },
  Output,
>(
  { storage, principal, clock }: RequestContext,
  call: { readonly idempotency: Idempotency },
  change: Transaction<Input, Output>,
  input: Omit<Input, "actor" | "idempotency">,
): Promise<Output> {
  const actor = actorOf(principal, clock.now());
  const idempotency = idempotentCall(principal, actor.now, call.idempotency);
  // as: the two are what was left out.
  return storage.commit(change, { ...input, actor, idempotency } as Input);
}
