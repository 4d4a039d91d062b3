import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf } from "../../calls/principal.ts";
import { Answer } from "../../kernel/answer.ts";
import { Failure } from "../../kernel/failure.ts";
import { isAmong } from "../access/approvers.ts";
import { coverageOfCaller } from "../plans/coverage.ts";
import { findPlan } from "../plans/plans.store.ts";
import type {
  approvalPolicy,
  checkApprovalPolicy,
  putApprovalPolicy,
} from "./policies.contract.ts";
import { policiesOf } from "./policies.store.ts";
import { endPolicy, type Policy, policyIn, setPolicy } from "./policies.transactions.ts";
import { type PolicyTerms, whatLacks } from "./policy.ts";
import { whoCouldDecide } from "./who-could-decide.ts";
import { DEFAULT_POLICY } from "../plans/plan-policies.store.ts";

type Shown = z.output<typeof approvalPolicy>;
type Sent = z.output<typeof putApprovalPolicy.body & z.ZodType>;

/** Every policy of the organisation that is of a plan which the caller sees; the default first. */
export async function list(ctx: RequestContext): Promise<{ data: Shown[] }> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const coverage = await coverageOfCaller(reader, ctx.principal);
  const all = (await policiesOf(reader, { org_id }))
    .filter(({ plan }) => !coverage || plan === DEFAULT_POLICY || coverage.plans.has(plan)).map(
      policyIn,
    );
  return {
    data: [...all[0]?.plan === DEFAULT_POLICY ? [] : [policyIn(undefined)], ...all].map(show),
  };
}

/** Sets one; `plan` null: the default. Throws what the endpoint lists. */
export async function put(
  ctx: RequestContext,
  plan: string | null,
  sent: Sent,
  ifMatch: string[] | null,
): Promise<Answer<Shown>> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const terms = termsOf(sent);
  return tagged(await ctx.storage.commit(setPolicy, { actor, plan, terms, ifMatch }));
}

/** Takes a plan's own away, and gives what holds then. Throws what the endpoint lists. */
export async function remove(
  ctx: RequestContext,
  plan: string,
  ifMatch: string[] | null,
): Promise<Answer<Shown>> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  return tagged(await ctx.storage.commit(endPolicy, { actor, plan, ifMatch }));
}

/** People who are named for a step, at the most. */
const MOST_NAMED = 50;

/** Who could approve under a policy that need not be set. Throws what the endpoint lists. */
export async function whoCould(
  ctx: RequestContext,
  { plan: named, ...sent }: z.output<typeof checkApprovalPolicy.body & z.ZodType>,
): Promise<z.output<typeof checkApprovalPolicy.response>> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const terms = termsOf(sent);
  const plan = named == null ? DEFAULT_POLICY : (await findPlan(reader, { org_id, id: named }))?.id;
  if (plan === undefined) throw new Failure("not_found");
  const people = await whoCouldDecide(reader, org_id, plan);
  const lacks = whatLacks(terms.steps, people);
  const anybody = { name: "", role: null, people: null, need: 1 };
  const steps = terms.outcome === "at_once"
    ? []
    : terms.outcome === "steps"
    ? terms.steps
    : [anybody];
  return {
    lacks,
    steps: steps.map((step) => {
      const group = people.filter((one) => isAmong(step, one));
      return {
        name: step.name,
        need: step.need,
        count: group.length,
        people: group.slice(0, MOST_NAMED).map(({ id, name }) => ({ id, name })),
      };
    }),
  };
}

function termsOf(sent: Sent): PolicyTerms {
  const { outcome, steps = [], not_by_filer = false } = sent;
  const { expires_after_days = null, remind_before_days = null } = sent;
  if ((outcome === "steps") !== steps.length > 0) {
    throw refused("steps: expected some with the outcome steps, and none with another");
  }
  if (remind_before_days !== null && remind_before_days >= (expires_after_days ?? 0)) {
    throw refused("remind_before_days: expected fewer days than expires_after_days");
  }
  return {
    outcome,
    not_by_filer,
    expires_after_days,
    remind_before_days,
    steps: steps.map(({ name, role = null, people, need }, i) => {
      if (role !== null && people) throw refused(`steps[${i}]: expected role or people, not both`);
      return { name, role, people: people ? [...new Set(people)] : null, need };
    }),
  };
}

function refused(message: string): Failure {
  return new Failure("invalid_input", { message, details: [message] });
}

function tagged(policy: Policy): Answer<Shown> {
  return new Answer(show(policy), { etag: `"${policy.revision}"` });
}

function show({ plan, updated_at, revision, ...terms }: Policy): Shown {
  const { outcome, steps, not_by_filer, expires_after_days, remind_before_days } = terms;
  return {
    plan: plan === DEFAULT_POLICY ? null : plan,
    outcome,
    steps,
    not_by_filer,
    expires_after_days,
    remind_before_days,
    date_updated: updated_at,
    revision,
  };
}
