import { z } from "zod";
import { leakActions } from "../../../contract/leak-actions.ts";
import { line } from "../../../contract/labels.ts";
import { pageOf } from "../../../contract/paging.ts";
import { nullable, pageQuery } from "../../../contract/v1.ts";
import { idOrEmpty, text, timestamp, withoutControls } from "../../../contract/values.ts";
import { plan, planInput } from "../plans.contract.ts";
import { question, questionsInput } from "./questions.contract.ts";

const counted = z.int().min(0).max(1000);

const appliesTo = z.enum(["key", "access"], { error: "expected key or access" });

const APPLIES_TO =
  "The start of `key_expires_in`. `key`: each key's issue, so a rotation begins it anew. `access`: the developer's access to the plan; it begins with a decision, and no rotation makes it longer.";

const MOST =
  "Live keys of the plan that a developer may hold; 0: any number; absent: 1 where it is granted at once, else any number. It binds what developers ask for themselves.";

const PRICE =
  "The price as developers read it, such as `Free` or `20 euros a month`; a text of up to 80 characters, by which nothing is charged. Empty: none is told.";

const { is_inactive: _, ...view } = plan.shape;

const { _id: __, id: ___, is_inactive: ____, ...known } = planInput.shape;

export const sent = {
  ...known,
  when_leaked: z.enum(leakActions, { error: "expected notify, suspend or revoke" }).optional()
    .meta({ description: "The action for a key of it that is reported as leaked." }),
  expiry_applies_to: appliesTo.optional().meta({ description: APPLIES_TO }),
  max_keys_per_developer: z.int().min(0).max(10_000).optional().meta({ description: MOST }),
  price_text: line(80).optional().meta({ description: PRICE }),
};

/** A plan with how its requests are decided, what they ask, and what there is of it. */
export const v1Plan = z.strictObject({
  ...view,
  when_leaked: z.enum(leakActions).meta({
    description: "The action for a key of it that is reported as leaked, besides the notification.",
  }),
  expiry_applies_to: appliesTo.meta({ description: APPLIES_TO }),
  max_keys_per_developer: nullable(z.int().min(0)).meta({
    description: MOST.replace("absent", "null"),
  }),
  price_text: text.meta({ description: PRICE }),
  date_created: timestamp,
  approval: z.enum(["manual", "automatic"])
    .meta({ description: "As the catalogue or the portal's configuration says." }),
  key_request_fields: z.array(question).meta({
    description: "Fields of a request; from the same source.",
  }),
  keys: counted.meta({ description: "Keys that are not revoked; 1000: so many or more." }),
  pending_requests: counted.meta({ description: "Likewise; requests whose `for_plan` it is." }),
  revision: text.meta({ description: "The value of `ETag` and `If-Match`, without the quotes." }),
}).meta({ id: "Plan" });

/** A page of plans. */
export const v1PlanList = pageOf(v1Plan).meta({ id: "PlanList" });

/** The filters of a list. */
export const listQuery = z.object({
  ...pageQuery,
  state: z.enum(["active", "inactive"], { error: "expected active or inactive" }).optional()
    .meta({ description: "Only plans in this state." }),
  q: withoutControls(z.string().trim().min(1).max(100))
    .optional()
    .meta({ description: "Only plans that hold this text, in any case, in id, name or tags." }),
  offered: z.enum(["true", "false"], { error: "expected true or false" }).optional().meta({
    description: "true: only plans that an API offers; false: only those that no API offers.",
  }),
});

/** The body of `createPlan`. */
export const createPlanInput = z.object({
  _id: idOrEmpty.optional(),
  id: idOrEmpty.optional(),
  ...sent,
})
  .meta({ id: "CreatePlanInput" });

/** The body of `setPlanApproval`. */
export const planApprovalInput = z.object({
  approval: z.enum(["manual", "automatic"], { error: "expected manual or automatic" })
    .optional(),
  key_request_fields: questionsInput.optional(),
}).meta({ id: "PlanApprovalInput" });

/** The answer of `listCatalogue`. */
export const catalogueApis = z.strictObject({
  data: z.array(z.strictObject({
    id: text.meta({ description: "Values that `api` of a list of key requests takes." }),
    name: text,
    plans: z.array(z.strictObject({
      id: text,
      name: text.meta({ description: "Empty if there is no such plan." }),
    })),
  })),
}).meta({ id: "CatalogueApis" });
