import { z } from "zod";
import { changeBy } from "../../calls/change-by.ts";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf, type Idempotency, idempotentCall } from "../../calls/principal.ts";
import { bodyErrors } from "../../contract/endpoint.ts";
import { envelope, ok, pageNumber } from "../../contract/envelope.ts";
import { operation } from "../../http/operation.ts";
import { Answer, type Pieces } from "../../kernel/answer.ts";
import { Failure } from "../../kernel/failure.ts";
import { newId } from "../../kernel/ids.ts";
import { pagedList } from "../../kernel/paged-list.ts";
import { TimeSlices } from "../../kernel/time-slices.ts";
import { countedPage } from "../../storage/list-counts.ts";
import { coverageOfCaller } from "./coverage.ts";
import { changedPlan, emptyPlan, newPlanIds } from "./plan.ts";
import { plan, planExample, planInput } from "./plans.contract.ts";
import {
  findPlanView,
  firstPlans,
  pageOfPlans,
  planCounter,
  plansAfter,
  planText,
  type PlanView,
} from "./plans.store.ts";
import {
  createPlan as createPlanChange,
  removePlan,
  updatePlan as updatePlanChange,
} from "./plans.transactions.ts";

/** A page of plans. */
const planList = z.strictObject({ Data: z.array(plan), Pages: z.int() })
  .meta({ id: "ClassicPlanList" });

const tag = "Plans (classic)";

export const listClassicPlans = operation({
  id: "listClassicPlans",
  method: "GET",
  path: "/api/portal/policies",
  tag,
  summary: "List plans, newest first",
  description:
    "Without `p` all of them; with `p` from 1 on, that page. The wire also calls plans policies.",
  permission: ["portal:read"],
  withinScope: true,
  query: z.object({
    p: pageNumber.meta({ description: "Page from 1; absent or below 1: everything, streamed." }),
  }),
  response: planList,
  errors: ["invalid_input"],
  async serve(ctx, { query: { p } }) {
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
        serialize: planText,
      },
      p,
      pageSize,
    );
  },
});

const searchPlansQuery = z.object({
  p: pageNumber.meta({ description: "Page from 1; absent or below 1: everything, streamed." }),
  q: z.string().trim().max(255).default("")
    .meta({ description: "The text, in any case; absent or empty: every plan." }),
});

export const searchPlans = operation({
  id: "searchPlans",
  method: "GET",
  path: "/api/portal/policies/search",
  tag,
  summary: "List plans whose name or ids hold a text, newest first",
  description: "The answer has the form of the list of plans.",
  permission: ["portal:read"],
  withinScope: true,
  query: searchPlansQuery,
  response: planList,
  errors: ["invalid_input"],
  serve: (ctx, { query }) => search(ctx, query),
});

export const createClassicPlan = operation({
  id: "createClassicPlan",
  method: "POST",
  path: "/api/portal/policies",
  tag,
  summary: "Add a plan; the message is its `_id`",
  description:
    "A plan says for which APIs its keys are valid, how often, and how long they live. Its name is unique; members that Keydesk does not know are kept and given back.",
  permission: ["plans"],
  body: planInput,
  keepsUnknown: true,
  idempotent: true,
  response: envelope,
  errors: [...bodyErrors, "plan_name_taken", "plan_id_taken"],
  example: planExample,
  serve: async (ctx, { body, idempotency }) => ok(await create(ctx, body, idempotency)),
});

export const getClassicPlan = operation({
  id: "getClassicPlan",
  method: "GET",
  path: "/api/portal/policies/{id}",
  tag,
  summary: "Read the plan that either of its ids names",
  description: "With the members that Keydesk does not know, as they came.",
  permission: ["portal:read"],
  withinScope: true,
  response: plan,
  errors: ["not_found"],
  async serve(ctx, { params: { id } }) {
    const { storage: { reader }, principal } = ctx;
    const row = await findPlanView(reader, { org_id: principal.org_id, id });
    const coverage = await coverageOfCaller(reader, principal);
    if (!row || (coverage && !coverage.plans.has(row.id))) throw new Failure("not_found");
    return new Answer(planText(row));
  },
});

export const updatePlan = operation({
  id: "updatePlan",
  method: "PUT",
  path: "/api/portal/policies/{id}",
  tag,
  summary: "Change a plan; members that are left out stay, so that no limit is lifted by accident",
  description: "Keys that have the plan follow within a second.",
  permission: ["plans"],
  body: planInput,
  keepsUnknown: true,
  response: envelope,
  errors: [...bodyErrors, "not_found", "plan_name_taken", "managed_by_file"],
  example: planExample,
  async serve(ctx, { params, body }) {
    await update(ctx, params.id, body);
    return ok("Data updated");
  },
});

export const deleteClassicPlan = operation({
  id: "deleteClassicPlan",
  method: "DELETE",
  path: "/api/portal/policies/{id}",
  tag,
  summary: "Delete a plan; its keys are no longer valid for it",
  description: "Neither of its ids is given to another plan afterwards.",
  permission: ["plans"],
  response: envelope,
  errors: ["not_found_for_deletion", "managed_by_file"],
  async serve(ctx, { params }) {
    await remove(ctx, params.id);
    return ok("Data deleted");
  },
});

type SentPlan = z.output<typeof planInput>;

/** A page of the plans whose name or ids hold a text, in any case, or all of them, likewise. */
async function search(
  ctx: RequestContext,
  { p, q }: z.output<typeof searchPlansQuery>,
): Promise<Answer<string | Pieces>> {
  const { storage: { reader }, principal: { org_id }, settings: { pageSize } } = ctx;
  const text = q.toLowerCase();
  const coverage = await coverageOfCaller(reader, ctx.principal);
  const isFound = ({ id, given_id, name }: PlanView) =>
    (!coverage || coverage.plans.has(id)) &&
    [id, given_id, name].some((one) => one.toLowerCase().includes(text));
  /** Plans after `last` that are found, in the order of the list; a few are held at a time. */
  async function* found(last?: PlanView) {
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
        const rows: PlanView[] = [];
        let total = 0;
        for await (const row of found()) {
          if (total >= offset && rows.length < limit) rows.push(row);
          total++;
        }
        return { rows, total };
      },
      after: async (last, limit) => {
        const rows: PlanView[] = [];
        for await (const row of found(last)) {
          if (rows.push(row) === limit) break;
        }
        return rows;
      },
      serialize: planText,
    },
    p,
    pageSize,
  );
}

const SEARCHED_AT_ONCE = 101;

/** Adds a plan, gives its `_id`. Throws `invalid_input`, `plan_id_taken` and `plan_name_taken`. */
async function create(
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
  return await ctx.storage.commit(createPlanChange, { actor, plan, idempotency: call });
}

const NO_NAME = "name: required";

/** Changes the plan that either id names; its ids stay. Throws `not_found`, and as create does. */
async function update(ctx: RequestContext, id: string, input: SentPlan): Promise<void> {
  const { _id, id: _, ...change } = input;
  await changeBy(ctx, updatePlanChange, { id, change });
}

/** Deletes a plan. Throws `not_found_for_deletion`. */
async function remove(ctx: RequestContext, id: string): Promise<void> {
  await changeBy(ctx, removePlan, { id });
}
