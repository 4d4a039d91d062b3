import type { RequestContext } from "../../calls/context.ts";
import { actorOf, type Idempotency, idempotentCall } from "../../calls/principal.ts";
import { Answer, type Pieces } from "../../kernel/answer.ts";
import { Failure } from "../../kernel/failure.ts";
import { newId } from "../../kernel/ids.ts";
import { pagedList } from "../../kernel/paged-list.ts";
import { countedPage } from "../../storage/list-counts.ts";
import { changedPlan, emptyPlan, type PlanChange } from "./plan.ts";
import {
  findShownPlan,
  firstPlans,
  pageOfPlans,
  planCounter,
  plansAfter,
  showPlan,
} from "./plans.store.ts";
import { createPlan, removePlan, updatePlan } from "./plans.transactions.ts";

type SentPlan = PlanChange & { _id?: string | undefined; id?: string | undefined };

/** A page of plans, or all of them as a stream whose memory stays flat. */
export async function list(
  ctx: RequestContext,
  p: number | undefined,
): Promise<Answer<string | Pieces>> {
  const { storage: { reader }, principal: { org_id }, settings: { pageSize } } = ctx;
  return await pagedList(
    {
      page: (offset, limit) =>
        countedPage({ counter: planCounter, db: reader, org_id, offset }, {
          first: () => firstPlans(reader, org_id, limit),
          from: (position) => pageOfPlans(reader, org_id, position, limit),
        }),
      after: (last, limit) => plansAfter(reader, org_id, last, limit),
      show: showPlan,
    },
    p,
    pageSize,
  );
}

/** One plan. Throws `not_found`, for a plan that is gone too. */
export async function get(ctx: RequestContext, id: string): Promise<Answer<string>> {
  const row = await findShownPlan(ctx.storage.reader, ctx.principal.org_id, id);
  if (!row) throw new Failure("not_found");
  return new Answer(showPlan(row));
}

/** Adds a plan and gives its id. Throws `invalid_input`, `plan_id_taken` and `plan_name_taken`. */
export async function create(
  ctx: RequestContext,
  input: SentPlan,
  idempotency: Idempotency,
): Promise<string> {
  const { _id, id: sentId, ...change } = input;
  if (!change.name) {
    throw new Failure("invalid_input", { message: NO_NAME, details: [NO_NAME] });
  }
  const now = ctx.clock.now();
  const id = sentId || _id || newId(now);
  const plan = changedPlan(emptyPlan(id, change.name), change);
  const call = idempotentCall(ctx.principal, now, idempotency);
  const actor = actorOf(ctx.principal, now);
  return await ctx.storage.commit(createPlan, { actor, plan, idempotency: call });
}

const NO_NAME = "name: required";

/** Changes a plan. Throws `not_found` besides what create throws. */
export async function update(ctx: RequestContext, id: string, input: SentPlan): Promise<void> {
  const { _id, id: _, ...change } = input;
  const actor = actorOf(ctx.principal, ctx.clock.now());
  await ctx.storage.commit(updatePlan, { actor, id, change });
}

/** Deletes a plan. Throws `not_found_for_deletion`. */
export async function remove(ctx: RequestContext, id: string): Promise<void> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  await ctx.storage.commit(removePlan, { actor, id });
}
