import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { leakActions } from "../../contract/leak-actions.ts";
import { pageOf } from "../../contract/paging.ts";
import { entityTag, ifMatch, nextPageLink, nullable, pageQuery } from "../../contract/v1.ts";
import { idOrEmpty, text, timestamp, withoutControls } from "../../contract/values.ts";
import { plan, planExample, planInput } from "../plans/plans.contract.ts";

const tag = "Plans (native)";

const counted = z.int().min(0).max(1000);
const appliesTo = z.enum(["key", "access"], { error: "expected key or access" });
const APPLIES_TO =
  "Whose time `key_expires_in` is. `key`: each key's; a rotation begins it anew. `access`: the developer's access to the plan; it begins with a decision, and no rotation makes it longer.";
const MOST =
  "Live keys of the plan that a developer may hold; 0: any number; absent: 1 where it is granted at once, else any number. It binds what developers ask for themselves.";
const { is_inactive: _, ...shown } = plan.shape;
const { _id: __, id: ___, is_inactive: ____, ...known } = planInput.shape;
const sent = {
  ...known,
  when_leaked: z.enum(leakActions, { error: "expected tell, suspend or revoke" }).optional()
    .meta({ description: "What is done about a key of it that is reported as leaked." }),
  expiry_applies_to: appliesTo.optional().meta({ description: APPLIES_TO }),
  max_keys_per_developer: z.int().min(0).max(10_000).optional().meta({ description: MOST }),
};

/** A plan with how its requests are decided, what they ask, and what there is of it. */
export const v1Plan = z.strictObject({
  ...shown,
  when_leaked: z.enum(leakActions).meta({
    description: "What is done about a key of it that is reported as leaked, beside telling of it.",
  }),
  expiry_applies_to: appliesTo.meta({ description: APPLIES_TO }),
  max_keys_per_developer: nullable(z.int().min(0)).meta({
    description: MOST.replace("absent", "null"),
  }),
  date_created: timestamp,
  approval: z.enum(["manual", "automatic"])
    .meta({ description: "As the catalogue or the portal's configuration says." }),
  key_request_fields: z.array(z.strictObject({ name: text, required: z.boolean() }))
    .meta({ description: "What a request is asked for; from the same place." }),
  keys: counted.meta({ description: "Keys that are not revoked; 1000: so many or more." }),
  pending_requests: counted.meta({ description: "Likewise; requests whose `for_plan` it is." }),
  revision: text.meta({ description: "What `ETag` and `If-Match` hold, without the quotes." }),
}).meta({ id: "NativePlan" });

/** A page of plans. */
export const v1PlanList = pageOf(v1Plan).meta({ id: "NativePlanList" });

/** What a list is narrowed by. */
export const listQuery = z.object({
  ...pageQuery,
  state: z.enum(["active", "inactive"], { error: "expected active or inactive" }).optional()
    .meta({ description: "Only plans in this state." }),
  q: withoutControls(z.string().trim().min(1).max(100))
    .optional()
    .meta({ description: "Only plans that hold this text, in any case, in id, name or tags." }),
});

/** Plans by cursor. */
export const listNativePlans = defineEndpoint({
  id: "listNativePlans",
  method: "GET",
  path: "/v1/plans",
  tag,
  summary: "List plans, newest first; a page may hold fewer than `limit` and still have a next",
  description: "By cursor, with the number of keys and of requests that wait.",
  permission: ["portal:read"],
  withinScope: true,
  withinElevation: true,
  query: listQuery,
  answerHeaders: nextPageLink,
  response: v1PlanList,
  errors: ["invalid_input"],
});

/** One plan. */
export const getNativePlan = defineEndpoint({
  id: "getNativePlan",
  method: "GET",
  path: "/v1/plans/{id}",
  tag,
  summary: "Read one plan, with its ETag",
  description: "With how its requests are decided, what they ask, and the revision for `If-Match`.",
  permission: ["portal:read"],
  withinScope: true,
  withinElevation: true,
  answerHeaders: entityTag,
  response: v1Plan,
  errors: ["not_found"],
});

/** A further plan. */
export const createNativePlan = defineEndpoint({
  id: "createNativePlan",
  method: "POST",
  path: "/v1/plans",
  tag,
  summary: "Add a plan; what is left out has no limit",
  description:
    "Its name is unique within the organisation. The answer is the plan as kept, with its `ETag`.",
  permission: ["plans"],
  body: z.object({ _id: idOrEmpty.optional(), id: idOrEmpty.optional(), ...sent })
    .meta({ id: "CreatePlanInput" }),
  keepsUnknown: true,
  idempotent: true,
  answerHeaders: entityTag,
  response: v1Plan,
  errors: [...bodyErrors, "plan_name_taken", "plan_id_taken", "not_found"],
  example: { ...planExample, name: "Tides, free" },
});

/** Limits, names, and what else a client may set. */
export const editPlan = defineEndpoint({
  id: "editPlan",
  method: "PUT",
  path: "/v1/plans/{id}",
  tag,
  summary: "Change a plan; members that are left out stay, so that no limit is lifted by accident",
  description:
    "Keys that have the plan follow within a second. `If-Match` refuses what has changed since it was read.",
  permission: ["plans"],
  body: z.object(sent).meta({ id: "EditPlanInput" }),
  keepsUnknown: true,
  headers: ifMatch,
  answerHeaders: entityTag,
  response: v1Plan,
  errors: [...bodyErrors, "not_found", "plan_name_taken", "precondition_failed"],
  example: { rate: 120, per: 60 },
});

const stateErrors = [
  "not_found",
  "precondition_failed",
  "body_too_large",
  "body_timeout",
] as const;

/** Its keys open nothing for now. */
export const deactivatePlan = defineEndpoint({
  id: "deactivatePlan",
  method: "POST",
  path: "/v1/plans/{id}/deactivate",
  tag,
  summary: "Deactivate a plan: within a second its keys open nothing of it",
  description: "The keys themselves stay active, and open what their other plans allow.",
  permission: ["plans"],
  withinElevation: true,
  body: "ignored",
  headers: ifMatch,
  idempotent: true,
  answerHeaders: entityTag,
  response: v1Plan,
  errors: stateErrors,
});

/** Its keys open it again. */
export const activatePlan = defineEndpoint({
  id: "activatePlan",
  method: "POST",
  path: "/v1/plans/{id}/activate",
  tag,
  summary: "Activate a plan: its keys open it again",
  description: "Keys that were revoked meanwhile stay so.",
  permission: ["plans"],
  withinElevation: true,
  body: "ignored",
  headers: ifMatch,
  idempotent: true,
  answerHeaders: entityTag,
  response: v1Plan,
  errors: stateErrors,
});

const fieldName = withoutControls(z.string().trim().min(1).max(100));

/** How requests are decided, and what they ask. */
export const setPlanApproval = defineEndpoint({
  id: "setPlanApproval",
  method: "PUT",
  path: "/v1/plans/{id}/approval",
  tag,
  summary: "Change how a plan's requests are decided and what they ask; what is left out stays",
  description: "Changes the entries of the catalogue that name the plan.",
  permission: ["plans"],
  body: z.object({
    approval: z.enum(["manual", "automatic"], { error: "expected manual or automatic" })
      .optional(),
    key_request_fields: z.array(z.object({ name: fieldName, required: z.boolean() })).max(50)
      .optional(),
  }).meta({ id: "PlanApprovalInput" }),
  headers: ifMatch,
  answerHeaders: entityTag,
  response: v1Plan,
  errors: [...bodyErrors, "not_found", "plan_not_offered", "precondition_failed"],
  example: { approval: "manual", key_request_fields: [{ name: "use_case", required: true }] },
});

/** The plan is gone for good. */
export const deleteNativePlan = defineEndpoint({
  id: "deleteNativePlan",
  method: "DELETE",
  path: "/v1/plans/{id}",
  tag,
  summary: "Delete a plan for good; keys that have it open nothing of it any more",
  description:
    "`If-Match` refuses what has changed since it was read. To close a plan for a while, deactivate it.",
  permission: ["plans"],
  headers: ifMatch,
  response: z.strictObject({ id: text }).meta({ id: "PlanDeleted" }),
  errors: ["not_found_for_deletion", "precondition_failed"],
});

/** What the catalogue offers, by API. */
export const listCatalogue = defineEndpoint({
  id: "listCatalogue",
  method: "GET",
  path: "/v1/catalogue",
  tag,
  summary: "List all APIs of the catalogue with their plans, in its order",
  description: "Each API once, beside the plans of its entries.",
  permission: ["portal:read"],
  withinScope: true,
  response: z.strictObject({
    data: z.array(z.strictObject({
      id: text.meta({ description: "What `api` of a list of key requests takes." }),
      name: text,
      plans: z.array(z.strictObject({
        id: text,
        name: text.meta({ description: "Empty where there is no such plan." }),
      })),
    })),
  }).meta({ id: "CatalogueApis" }),
  errors: [],
});
