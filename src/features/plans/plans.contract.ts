import { z } from "zod";
import { freeForm, id, idOrEmpty, text } from "../../contract/values.ts";
import { OWN_ID } from "../../kernel/ids.ts";

/** A number that may also be -1, which represents "no limit". */
export const limit = <N extends z.ZodNumber | z.ZodInt>(number: N) =>
  number.refine((value) => value >= 0 || value === -1, {
    error: "expected 0 or more, or -1 for no limit",
  });

export const name = z.string().min(1).max(255);

export const members = {
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

/** The id of a plan, besides its `id`. */
const planId = z.string().regex(OWN_ID);

/**
 * A plan as it is shown: `rate` calls in `per` seconds, `quota_max` calls in `quota_renewal_rate`
 * seconds; and whatever else its client keeps in it.
 */
export const plan = z.looseObject({ _id: planId, id, name, ...members }).meta({
  id: "ClassicPlan",
});

/**
 * A plan as a client sends it. An absent member has its default at first, and stays at a
 * replacement; members that are not listed here are kept as they came.
 */
export const planInput = z.looseObject({
  _id: idOrEmpty.optional(),
  id: idOrEmpty.optional(),
  name: name.optional(),
  ...z.object(members).partial().shape,
}).meta({ id: "PlanInput" });

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
