import { z } from "zod";
import { outcomes } from "../../contract/approval-outcomes.ts";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { entityTag, ifMatch, nullable } from "../../contract/v1.ts";
import { id, text, timestamp } from "../../contract/values.ts";
import { nameInput } from "../access/people.contract.ts";

const tag = "Plans (native)";

const outcome = z.enum(outcomes).meta({
  description:
    "Who must say yes: what the catalogue says (nobody, or one approver), nobody, one approver, or the people of `steps`, one step after another.",
});

const not_by_filer = z.boolean().meta({
  description: "True: whoever filed or changed a request may not decide it.",
});

const days = z.int().min(1).max(365);

const expires_after_days = nullable(days).meta({
  description: "After how many days a request that waits is declined by itself; null: never.",
});

const remind_before_days = nullable(days).meta({
  description: "How many days before that who may decide is reminded; null: nobody is.",
});

/** A policy as it is read. */
export const approvalPolicy = z.strictObject({
  plan: nullable(text).meta({
    description: "The plan's `_id`; null: the default, of plans that have none of their own.",
  }),
  outcome,
  steps: z.array(z.strictObject({
    name: text,
    role: nullable(text).meta({ description: "Whoever has this role; null: by `people`." }),
    people: nullable(z.array(text)).meta({
      description: "Those by their ids; null where it goes by the role, or takes all approvers.",
    }),
    need: z.int(),
  })),
  not_by_filer,
  expires_after_days,
  remind_before_days,
  date_updated: nullable(timestamp).meta({ description: "Null: nobody has ever set it." }),
  revision: text.meta({ description: "What `ETag` and `If-Match` hold, without the quotes." }),
}).meta({ id: "ApprovalPolicy" });

const policyInput = z.object({
  outcome,
  steps: z.array(z.object({
    name: nameInput,
    role: nullable(id).optional().meta({
      description: "The id of the role that its people have.",
    }),
    people: nullable(z.array(id).min(1).max(100)).optional().meta({
      description: "The ids of its people, instead of a role; neither: everybody who may approve.",
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
export const listApprovalPolicies = defineEndpoint({
  id: "listApprovalPolicies",
  method: "GET",
  path: "/v1/approval-policies",
  tag,
  summary: "List who must approve key requests: the default, then the plans with their own policy",
  description: "A request that waits keeps the policy under which it was asked, and its end.",
  permission: ["portal:read"],
  withinScope: true,
  withinElevation: true,
  response: z.strictObject({ data: z.array(approvalPolicy) }).meta({ id: "ApprovalPolicyList" }),
  errors: [],
});

/** The default. */
export const putDefaultApprovalPolicy = defineEndpoint({
  id: "putDefaultApprovalPolicy",
  method: "PUT",
  path: "/v1/approval-policy",
  tag,
  summary: "Set who must approve requests for plans that have no policy of their own",
  description:
    "Requests that wait keep the policy under which they were asked. A policy that nobody could fulfil is refused, and the answer names who there is.",
  permission: ["plans"],
  body: policyInput,
  headers: ifMatch,
  answerHeaders: entityTag,
  response: approvalPolicy,
  errors: setErrors,
  example: { outcome: "catalogue" as const, not_by_filer: false },
});

/** A plan's own. */
export const putApprovalPolicy = defineEndpoint({
  id: "putApprovalPolicy",
  method: "PUT",
  path: "/v1/plans/{id}/approval-policy",
  tag,
  summary: "Set who must approve requests for a plan",
  description:
    "A request for several plans needs the steps of each. Requests that wait keep the policy under which they were asked; a policy that nobody could fulfil is refused.",
  permission: ["plans"],
  body: policyInput,
  headers: ifMatch,
  answerHeaders: entityTag,
  response: approvalPolicy,
  errors: [...setErrors, "not_found"],
  example,
});

/** None of its own. */
export const deleteApprovalPolicy = defineEndpoint({
  id: "deleteApprovalPolicy",
  method: "DELETE",
  path: "/v1/plans/{id}/approval-policy",
  tag,
  summary: "Take a plan's own policy away: the default holds for it again",
  description: "Nothing happens where it has none. Requests that wait keep theirs.",
  permission: ["plans"],
  headers: ifMatch,
  answerHeaders: entityTag,
  response: approvalPolicy,
  errors: ["not_found", "precondition_failed"],
});

/** Who could. */
export const checkApprovalPolicy = defineEndpoint({
  id: "checkApprovalPolicy",
  method: "POST",
  path: "/v1/approval-policies/check",
  tag,
  summary: "Tell who could approve under a policy, step by step; nothing is set",
  description:
    "Of a plan, or by default, as people, roles and scopes are now. What nobody could fulfil says what it lacks.",
  permission: ["plans"],
  body: policyInput.extend({
    plan: nullable(id).optional().meta({
      description: "For whose requests: people with a scope count for its plans; null: any.",
    }),
  }).meta({ id: "ApprovalPolicyCheckInput" }),
  response: z.strictObject({
    lacks: z.array(text).meta({ description: "Why nobody could fulfil it; empty: it can be." }),
    steps: z.array(z.strictObject({
      name: text.meta({ description: "Empty where the policy has no steps." }),
      need: z.int(),
      count: z.int().meta({ description: "How many people count in it." }),
      people: z.array(z.strictObject({ id: text, name: text }))
        .meta({ description: "The oldest of them, 50 at the most." }),
    })),
  }).meta({ id: "ApprovalPolicyCheck" }),
  errors: [...bodyErrors, "not_found"],
  example,
});
