import { z } from "zod";
import { changeBy } from "../../calls/change-by.ts";
import type { RequestContext } from "../../calls/context.ts";
import { outcomes } from "../../contract/approval-outcomes.ts";
import { bodyErrors } from "../../contract/endpoint.ts";
import { entityTag, ifMatch, nullable } from "../../contract/v1.ts";
import { id, text, timestamp } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import { ifMatchOf } from "../../http/routes.ts";
import { Answer } from "../../kernel/answer.ts";
import { Failure } from "../../kernel/failure.ts";
import { isAmong } from "../people/approvers.ts";
import { nameInput } from "../people/people.contract.ts";
import { coverageOfCaller } from "../plans/coverage.ts";
import { DEFAULT_POLICY } from "../plans/plan-policies.store.ts";
import { findPlan } from "../plans/plans.store.ts";
import { policiesOf } from "./policies.store.ts";
import { endPolicy, type Policy, policyIn, setPolicy } from "./policies.transactions.ts";
import { type PolicyTerms, whatLacks } from "./policy.ts";
import { whoCouldDecide } from "./who-could-decide.ts";

const tag = "Plans";

const outcome = z.enum(outcomes).meta({
  description:
    "The approvals that it needs: those of the catalogue (none, or one approver), none, one approver, or the people of `steps`, one step after another.",
});

const not_by_filer = z.boolean().meta({
  description: "True: the person who filed or changed a request may not decide it.",
});

const days = z.int().min(1).max(365);

const expires_after_days = nullable(days).meta({
  description: "After how many days a request that waits is declined by itself; null: never.",
});

const remind_before_days = nullable(days).meta({
  description: "How many days before that the deciders are reminded; null: not at all.",
});

/** A policy as it is read. */
export const approvalPolicy = z.strictObject({
  plan: nullable(text).meta({
    description: "The plan's `_id`; null: the default, of plans that have none of their own.",
  }),
  outcome,
  steps: z.array(z.strictObject({
    name: text,
    role: nullable(text).meta({ description: "The role of its approvers; null: by `people`." }),
    people: nullable(z.array(text)).meta({
      description: "Those by their ids; null where it goes by the role, or takes all approvers.",
    }),
    need: z.int(),
  })),
  not_by_filer,
  expires_after_days,
  remind_before_days,
  date_updated: nullable(timestamp).meta({ description: "Null: it was never set." }),
  revision: text.meta({ description: "The value of `ETag` and `If-Match`, without the quotes." }),
}).meta({ id: "ApprovalPolicy" });

const policyInput = z.object({
  outcome,
  steps: z.array(z.object({
    name: nameInput,
    role: nullable(id).optional().meta({
      description: "The id of the role that its people have.",
    }),
    people: nullable(z.array(id).min(1).max(100)).optional().meta({
      description: "The ids of its people, instead of a role; neither: every approver.",
    }),
    need: z.int().min(1).max(20).meta({ description: "How many of them must say yes." }),
  })).max(10).optional().meta({ description: "In their order; with the outcome `steps` alone." }),
  not_by_filer: not_by_filer.optional(),
  expires_after_days: expires_after_days.optional(),
  remind_before_days: remind_before_days.optional(),
}).meta({ id: "ApprovalPolicyInput" });

const example = {
  outcome: "steps" as const,
  steps: [{ name: "Platform team", need: 1 }],
  not_by_filer: false,
  expires_after_days: 30,
  remind_before_days: 3,
};

const setErrors = [
  ...bodyErrors,
  "policy_unfulfillable",
  "unknown_role",
  "precondition_failed",
] as const;

/** All of them. */
export const listApprovalPolicies = operation({
  id: "listApprovalPolicies",
  method: "GET",
  path: "/v1/approval-policies",
  tag,
  summary: "List who must approve key requests: the default, then the plans with their own policy",
  description: "A request that waits keeps the policy under which it was asked, and its end.",
  permission: ["portal:read"],
  withinScope: true,
  withinTemporaryAccess: true,
  response: z.strictObject({ data: z.array(approvalPolicy) }).meta({ id: "ApprovalPolicyList" }),
  errors: [],
  async serve(ctx) {
    const { storage: { reader }, principal: { org_id } } = ctx;
    const coverage = await coverageOfCaller(reader, ctx.principal);
    const all = (await policiesOf(reader, { org_id }))
      .filter(({ plan }) => !coverage || plan === DEFAULT_POLICY || coverage.plans.has(plan)).map(
        policyIn,
      );
    return {
      data: [...all[0]?.plan === DEFAULT_POLICY ? [] : [policyIn(undefined)], ...all].map(
        serialize,
      ),
    };
  },
});

/** The default. */
export const putDefaultApprovalPolicy = operation({
  id: "putDefaultApprovalPolicy",
  method: "PUT",
  path: "/v1/approval-policy",
  tag,
  summary: "Set who must approve requests for plans that have no policy of their own",
  description:
    "Waiting requests keep the policy under which they were filed. A policy that no people could fulfil is refused, and the answer names possible approvers.",
  permission: ["plans"],
  body: policyInput,
  headers: ifMatch,
  answerHeaders: entityTag,
  response: approvalPolicy,
  errors: [...setErrors, "managed_by_file"],
  example: { outcome: "catalogue" as const, not_by_filer: false },
  serve: (ctx, call) => put(ctx, null, call.body, ifMatchOf(call)),
});

/** A plan's own. */
export const putApprovalPolicy = operation({
  id: "putApprovalPolicy",
  method: "PUT",
  path: "/v1/plans/{id}/approval-policy",
  tag,
  summary: "Set who must approve requests for a plan",
  description:
    "A request for several plans needs the steps of each. Waiting requests keep the policy under which they were filed; a policy that no people could fulfil is refused.",
  permission: ["plans"],
  body: policyInput,
  headers: ifMatch,
  answerHeaders: entityTag,
  response: approvalPolicy,
  errors: [...setErrors, "not_found", "managed_by_file"],
  example,
  serve: (ctx, call) => put(ctx, call.params.id, call.body, ifMatchOf(call)),
});

/** None of its own. */
export const deleteApprovalPolicy = operation({
  id: "deleteApprovalPolicy",
  method: "DELETE",
  path: "/v1/plans/{id}/approval-policy",
  tag,
  summary: "Take a plan's own policy away: the default holds for it again",
  description: "Nothing happens if it has none. Waiting requests keep theirs.",
  permission: ["plans"],
  headers: ifMatch,
  answerHeaders: entityTag,
  response: approvalPolicy,
  errors: ["not_found", "precondition_failed", "managed_by_file"],
  async serve(ctx, call) {
    const { params: { id: plan } } = call;
    const ifMatch = ifMatchOf(call);
    return tagged(await changeBy(ctx, endPolicy, { plan, ifMatch }));
  },
});

const approvalPolicyCheck = z.strictObject({
  lacks: z.array(text).meta({ description: "Why no people could fulfil it; empty: it can be." }),
  steps: z.array(z.strictObject({
    name: text.meta({ description: "Empty where the policy has no steps." }),
    need: z.int(),
    count: z.int().meta({ description: "How many people count in it." }),
    people: z.array(z.strictObject({ id: text, name: text }))
      .meta({ description: "The oldest of them, 50 at the most." }),
  })),
}).meta({ id: "ApprovalPolicyCheck" });

const approvalPolicyCheckInput = policyInput.extend({
  plan: nullable(id).optional().meta({
    description: "For whose requests: people with a scope count for its plans; null: any.",
  }),
}).meta({ id: "ApprovalPolicyCheckInput" });

/** Checks whether people could fulfil a policy. */
export const checkApprovalPolicy = operation({
  id: "checkApprovalPolicy",
  method: "POST",
  path: "/v1/approval-policies/check",
  tag,
  summary: "Tell who could approve under a policy, step by step; nothing is set",
  description:
    "Of a plan, or by default, with the people, roles and scopes of now. A policy that no people could fulfil says what it lacks.",
  permission: ["plans"],
  body: approvalPolicyCheckInput,
  response: approvalPolicyCheck,
  errors: [...bodyErrors, "not_found"],
  example,
  async serve(ctx, { body: { plan: named, ...sent } }) {
    const { storage: { reader }, principal: { org_id } } = ctx;
    const terms = termsOf(sent);
    const plan = named == null
      ? DEFAULT_POLICY
      : (await findPlan(reader, { org_id, id: named }))?.id;
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
  },
});

type View = z.output<typeof approvalPolicy>;

type Sent = z.output<typeof policyInput>;

/** Sets one; `plan` null: the default. Throws what the endpoint lists. */
async function put(
  ctx: RequestContext,
  plan: string | null,
  sent: Sent,
  ifMatch: string[] | null,
): Promise<Answer<View>> {
  const terms = termsOf(sent);
  return tagged(await changeBy(ctx, setPolicy, { plan, terms, ifMatch }));
}

/** People who are named for a step, at the most. */
const MOST_NAMED = 50;

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

function tagged(policy: Policy): Answer<View> {
  return new Answer(serialize(policy), { etag: `"${policy.revision}"` });
}

function serialize({ plan, updated_at, revision, ...terms }: Policy): View {
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
