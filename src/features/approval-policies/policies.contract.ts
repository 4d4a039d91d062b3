import { z } from "zod";
import { outcomes } from "../../contract/approval-outcomes.ts";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { nullable } from "../../contract/v1.ts";
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
  date_updated: nullable(timestamp).meta({ description: "Null: nobody has ever set it." }),
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
}).meta({ id: "ApprovalPolicyInput" });

const example = {
  outcome: "steps" as const,
  steps: [{ name: "Platform team", need: 1 }],
  not_by_filer: false,
};

const setErrors = [...bodyErrors, "policy_unfulfillable", "unknown_role"] as const;

/** All of them. */
export const listApprovalPolicies = defineEndpoint({
  id: "listApprovalPolicies",
  method: "GET",
  path: "/v1/approval-policies",
  tag,
  summary: "List who must approve key requests: the default, then the plans with their own policy",
  description: "A request that waits keeps the policy under which it was asked.",
  permission: ["portal:read"],
  withinScope: true,
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
  response: approvalPolicy,
  errors: ["not_found"],
});
