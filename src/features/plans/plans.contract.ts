import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { envelope, pageNumber } from "../../contract/envelope.ts";
import { freeForm, id, idOrEmpty, text } from "../../contract/values.ts";
import { OWN_ID } from "../../kernel/ids.ts";

/** A number that may also be -1, which stands for "no limit". */
const limit = <N extends z.ZodNumber | z.ZodInt>(number: N) =>
  number.refine((value) => value >= 0 || value === -1, {
    error: "expected 0 or more, or -1 for no limit",
  });

const name = z.string().min(1).max(255);

const members = {
  active: z.boolean(),
  is_inactive: z.boolean().meta({ description: "The opposite of `active`." }),
  rate: limit(z.number().max(1e12)),
  per: limit(z.number().max(1e12)),
  quota_max: limit(z.int()),
  quota_renewal_rate: limit(z.int()),
  access_rights: z.record(id, freeForm),
  auth_type: z.string().max(64),
  tags: z.array(text),
  key_expires_in: limit(z.int().max(100 * 366 * 24 * 60 * 60)),
};

/** What a plan is found by, besides its `id`. */
const planId = z.string().regex(OWN_ID);

/**
 * A plan as it is shown: `rate` calls in `per` seconds, `quota_max` calls in `quota_renewal_rate`
 * seconds; and whatever else its client keeps in it.
 */
export const plan = z.looseObject({ _id: planId, id, name, ...members }).meta({ id: "Plan" });

/**
 * A plan as a client sends it. What is left out has its default at first, and stays at a
 * replacement; members that are not listed here are kept as they came.
 */
export const planInput = z.looseObject({
  _id: idOrEmpty.optional(),
  id: idOrEmpty.optional(),
  name: name.optional(),
  ...z.object(members).partial().shape,
}).meta({ id: "PlanInput" });

/** A page of plans. */
const planList = z.strictObject({ Data: z.array(plan), Pages: z.int() })
  .meta({ id: "PlanList" });

const tag = "Plans";

/** A plan as the reference shows it. */
export const planExample = {
  name: "Weather, free",
  active: true,
  rate: 60,
  per: 60,
  quota_max: 20_000,
  quota_renewal_rate: 2_592_000,
  access_rights: {
    "5e1f3c2ab4d5e6f7a8b9c0d1": {
      api_id: "5e1f3c2ab4d5e6f7a8b9c0d1",
      api_name: "Weather",
      versions: ["Default"],
    },
  },
  auth_type: "authToken",
  tags: ["weather"],
  key_expires_in: 0,
};

export const listPlans = defineEndpoint({
  id: "listPlans",
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
});

export const searchPlans = defineEndpoint({
  id: "searchPlans",
  method: "GET",
  path: "/api/portal/policies/search",
  tag,
  summary: "List plans whose name or ids hold a text, newest first",
  description: "The answer has the form of the list of plans.",
  permission: ["portal:read"],
  withinScope: true,
  query: z.object({
    p: pageNumber.meta({ description: "Page from 1; absent or below 1: everything, streamed." }),
    q: z.string().trim().max(255).default("")
      .meta({ description: "The text, in any case; absent or empty: every plan." }),
  }),
  response: planList,
  errors: ["invalid_input"],
});

export const createPlan = defineEndpoint({
  id: "createPlan",
  method: "POST",
  path: "/api/portal/policies",
  tag,
  summary: "Add a plan; the message is its `_id`",
  description:
    "A plan says what its keys open, how often, and how long they live. Its name is unique; members that Keydesk does not know are kept and given back.",
  permission: ["plans"],
  body: planInput,
  keepsUnknown: true,
  idempotent: true,
  response: envelope,
  errors: [...bodyErrors, "plan_name_taken", "plan_id_taken"],
  example: planExample,
});

export const getPlan = defineEndpoint({
  id: "getPlan",
  method: "GET",
  path: "/api/portal/policies/{id}",
  tag,
  summary: "Read the plan that either of its ids names",
  description: "With the members that Keydesk does not know, as they came.",
  permission: ["portal:read"],
  withinScope: true,
  response: plan,
  errors: ["not_found"],
});

export const updatePlan = defineEndpoint({
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
  errors: [...bodyErrors, "not_found", "plan_name_taken"],
  example: planExample,
});

export const deletePlan = defineEndpoint({
  id: "deletePlan",
  method: "DELETE",
  path: "/api/portal/policies/{id}",
  tag,
  summary: "Delete a plan; keys that have it open nothing any more",
  description: "Neither of its ids is given to another plan afterwards.",
  permission: ["plans"],
  response: envelope,
  errors: ["not_found_for_deletion"],
});
