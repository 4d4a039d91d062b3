import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf } from "../../calls/principal.ts";
import { Failure } from "../../kernel/failure.ts";
import { coverageOfCaller } from "../plans/coverage.ts";
import type { approvalPolicy, putApprovalPolicy } from "./policies.contract.ts";
import { DEFAULT, policiesOf, termsIn } from "./policies.store.ts";
import { AS_EVER, endPolicy, type Policy, setPolicy } from "./policies.transactions.ts";
import type { PolicyTerms } from "./policy.ts";

type Shown = z.output<typeof approvalPolicy>;
type Sent = z.output<typeof putApprovalPolicy.body & z.ZodType>;

/** Every policy of the organisation that is of a plan which the caller sees; the default first. */
export async function list(ctx: RequestContext): Promise<{ data: Shown[] }> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const rows = await policiesOf(reader, { org_id });
  const coverage = await coverageOfCaller(reader, ctx.principal);
  const all = rows.filter(({ plan }) => !coverage || plan === DEFAULT || coverage.plans.has(plan))
    .map((row): Policy => ({ ...row, ...termsIn(row) }));
  const none = { plan: DEFAULT, ...AS_EVER, updated_at: null };
  return { data: [...all[0]?.plan === DEFAULT ? [] : [none], ...all].map(show) };
}

/** Sets one; `plan` null: the default. Throws what the endpoint lists. */
export async function put(ctx: RequestContext, plan: string | null, sent: Sent): Promise<Shown> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  return show(await ctx.storage.commit(setPolicy, { actor, plan, terms: termsOf(sent) }));
}

/** Takes a plan's own away, and gives what holds then. Throws `not_found`. */
export async function remove(ctx: RequestContext, plan: string): Promise<Shown> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  return show(await ctx.storage.commit(endPolicy, { actor, plan }));
}

function termsOf({ outcome, steps = [], not_by_filer = false }: Sent): PolicyTerms {
  if ((outcome === "steps") !== steps.length > 0) {
    throw refused("steps: expected some with the outcome steps, and none with another");
  }
  return {
    outcome,
    not_by_filer,
    steps: steps.map(({ name, role = null, people, need }, i) => {
      if (role !== null && people) throw refused(`steps[${i}]: expected role or people, not both`);
      return { name, role, people: people ? [...new Set(people)] : null, need };
    }),
  };
}

function refused(message: string): Failure {
  return new Failure("invalid_input", { message, details: [message] });
}

function show({ plan, outcome, steps, not_by_filer, updated_at }: Policy): Shown {
  const named = plan === DEFAULT ? null : plan;
  return { plan: named, outcome, steps, not_by_filer, date_updated: updated_at };
}
