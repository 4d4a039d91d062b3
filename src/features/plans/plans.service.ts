import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf, type Idempotency, idempotentCall } from "../../calls/principal.ts";
import { Answer, type Pieces } from "../../kernel/answer.ts";
import { Failure } from "../../kernel/failure.ts";
import { newId } from "../../kernel/ids.ts";
import { pagedList } from "../../kernel/paged-list.ts";
import { TimeSlices } from "../../kernel/time-slices.ts";
import { countedPage } from "../../storage/list-counts.ts";
import { coverageOfCaller } from "./coverage.ts";
import { changedPlan, emptyPlan, newPlanIds } from "./plan.ts";
import type { planInput, searchPlans } from "./plans.contract.ts";
import {
  findShownPlan,
  firstPlans,
  pageOfPlans,
  planCounter,
  plansAfter,
  type ShownPlan,
  showPlan,
} from "./plans.store.ts";
import { createPlan, removePlan, updatePlan } from "./plans.transactions.ts";

type SentPlan = z.output<typeof planInput>;

/** A page of plans that the caller sees, or all of them as a stream whose memory stays flat. */
export async function list(
  ctx: RequestContext,
  p: number | undefined,
): Promise<Answer<string | Pieces>> {
  const { storage: { reader }, principal: { org_id, covers }, settings: { pageSize } } = ctx;
  if (covers) return await search(ctx, { p, q: "" });
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

/** A page of the plans whose name or ids hold a text, in any case, or all of them, likewise. */
export async function search(
  ctx: RequestContext,
  { p, q }: z.output<typeof searchPlans.query & z.ZodType>,
): Promise<Answer<string | Pieces>> {
  const { storage: { reader }, principal: { org_id }, settings: { pageSize } } = ctx;
  const text = q.toLowerCase();
  const coverage = await coverageOfCaller(reader, ctx.principal);
  const isFound = ({ id, given_id, name }: ShownPlan) =>
    (!coverage || coverage.plans.has(id)) &&
    [id, given_id, name].some((one) => one.toLowerCase().includes(text));
  /** Plans after `last` that are found, in the order of the list; a few are held at a time. */
  async function* found(last?: ShownPlan) {
    const slices = new TimeSlices();
    while (true) {
      const rows = await plansAfter(reader, org_id, last, SEARCHED_AT_ONCE);
      yield* rows.filter(isFound);
      if (rows.length < SEARCHED_AT_ONCE) return;
      last = rows.at(-1);
      // The engine may have answered at once: the calls that arrived meanwhile come first.
      await slices.next();
    }
  }
  return await pagedList(
    {
      page: async (offset, limit) => {
        const rows: ShownPlan[] = [];
        let total = 0;
        for await (const row of found()) {
          if (total >= offset && rows.length < limit) rows.push(row);
          total++;
        }
        return { rows, total };
      },
      after: async (last, limit) => {
        const rows: ShownPlan[] = [];
        for await (const row of found(last)) {
          if (rows.push(row) === limit) break;
        }
        return rows;
      },
      show: showPlan,
    },
    p,
    pageSize,
  );
}

const SEARCHED_AT_ONCE = 101;

/** The plan that either id names. Throws `not_found`, also where it is gone or not seen. */
export async function get(ctx: RequestContext, id: string): Promise<Answer<string>> {
  const { storage: { reader }, principal } = ctx;
  const row = await findShownPlan(reader, { org_id: principal.org_id, id });
  const coverage = await coverageOfCaller(reader, principal);
  if (!row || (coverage && !coverage.plans.has(row.id))) throw new Failure("not_found");
  return new Answer(showPlan(row));
}

/** Adds a plan, gives its `_id`. Throws `invalid_input`, `plan_id_taken` and `plan_name_taken`. */
export async function create(
  ctx: RequestContext,
  input: SentPlan,
  idempotency: Idempotency,
): Promise<string> {
  const { _id, id, ...change } = input;
  if (!change.name) {
    throw new Failure("invalid_input", { message: NO_NAME, details: [NO_NAME] });
  }
  const now = ctx.clock.now();
  const ids = newPlanIds({ _id, id }, newId(now));
  const plan = changedPlan(emptyPlan(ids, change.name), change);
  const call = idempotentCall(ctx.principal, now, idempotency);
  const actor = actorOf(ctx.principal, now);
  return await ctx.storage.commit(createPlan, { actor, plan, idempotency: call });
}

const NO_NAME = "name: required";

/** Changes the plan that either id names; its ids stay. Throws `not_found`, and as create does. */
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
