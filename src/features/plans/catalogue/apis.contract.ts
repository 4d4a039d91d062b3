import { z } from "zod";
import { pageOf } from "../../../contract/paging.ts";
import { pageQuery } from "../../../contract/v1.ts";
import { id, idOrEmpty, MAIL_DOMAIN, text, withoutControls } from "../../../contract/values.ts";
import { tags } from "../../../contract/labels.ts";
import { visibilities } from "../../../contract/visibilities.ts";
import { publicLink } from "../../branding/branding.contract.ts";
import { v1Plan } from "./v1.contract.ts";

const { name: _, ...shape } = v1Plan.shape;

/** A plan that an API is offered by. */
const offeredPlan = z.strictObject({
  _id: text.meta({ description: "The plan's own id; empty if there is no such plan." }),
  id: text.meta({ description: "As the catalogue names it: either id of the plan." }),
  name: text.meta({
    description: "Empty if there is no such plan; then the rest says nothing.",
  }),
  valid: z.boolean()
    .meta({
      description: "Whether its keys are valid for this API: false if its `access_rights` lack it.",
    }),
  active: shape.active,
  rate: shape.rate,
  per: shape.per,
  quota_max: shape.quota_max,
  quota_renewal_rate: shape.quota_renewal_rate,
  auth_type: shape.auth_type,
  key_expires_in: shape.key_expires_in,
  approval: shape.approval,
  key_request_fields: shape.key_request_fields,
  keys: shape.keys,
  pending_requests: shape.pending_requests,
}).meta({ id: "OfferedPlan" });

const VISIBILITY =
  "The people who see it in the developer portal. `public`: everyone, without signing in. `signed_in`: all developers who are signed in. `invited`: the invited ones alone; others cannot read it, search it or request its plans.";

const INVITED =
  "For `invited`: e-mail addresses, and domains that mean every address at them. An address counts once a mailed code or link has verified it.";

const INVITED_TAGS = "For `invited`: developers who have one of these tags are invited.";

/** An API of the catalogue. */
export const api = z.strictObject({
  id: text.meta({ description: "The name by which gateways ask for it." }),
  name: text.meta({
    description: "Its entries' name; where they are named one by one, what its plans call it.",
  }),
  short_description: text,
  long_description: text,
  documentation: text,
  version: text,
  base_url: text.meta({
    description: "The address at which it is called; empty: the `base_url` of the branding.",
  }),
  show: z.boolean().meta({
    description: "Whether portals show it. Its keys are valid for it either way.",
  }),
  visibility: z.enum(visibilities).meta({ description: VISIBILITY }),
  invited: z.array(text).meta({ description: INVITED }),
  invited_tags: z.array(text).meta({ description: INVITED_TAGS }),
  plans: z.array(offeredPlan),
  revision: text.meta({ description: "The value of `ETag` and `If-Match`, without the quotes." }),
}).meta({ id: "CatalogueApi" });

const line = (most: number) => withoutControls(z.string().trim().max(most));

export const name = line(255).min(1);

/** An address, or a domain. */
const invited = z.string().trim().max(254).overwrite((one) =>
  one.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
).refine((one) => {
  const at = one.lastIndexOf("@");
  return MAIL_DOMAIN.test(one.slice(at + 1)) && (at < 0 || /^[^\s@]{1,64}$/.test(one.slice(0, at)));
}, { error: "expected an e-mail address or a domain such as example.org" });

export const members = {
  short_description: line(1000).optional(),
  long_description: text.max(20_000).optional(),
  documentation: text.max(1000).optional(),
  version: line(100).optional(),
  base_url: publicLink().optional(),
  show: z.boolean().optional(),
  visibility: z.enum(visibilities, { error: "expected public, signed_in or invited" }).optional()
    .meta({ description: VISIBILITY }),
  invited: z.array(invited).max(500).optional().meta({ description: INVITED }),
  invited_tags: tags.optional().meta({ description: INVITED_TAGS }),
  plans: z.array(id).max(50).optional().meta({
    description: "The plans that it is offered by, by either of their ids; others are no longer.",
  }),
};

/** The filters of the list. */
export const apiListQuery = z.object({
  ...pageQuery,
  q: z.string().trim().min(1).max(100).optional()
    .meta({
      description: "Only APIs that hold this text, in any case, in id, name or description.",
    }),
});

/** The answer of `listApis`. */
export const catalogueApiList = pageOf(api).meta({ id: "CatalogueApiList" });

/** The body of `createApi`. */
export const newCatalogueApiInput = z.object({ id: idOrEmpty.optional(), name, ...members }).meta({
  id: "NewCatalogueApiInput",
});

/** The body of `editApi`. */
export const editCatalogueApiInput = z.object({ name: name.optional(), ...members }).meta({
  id: "EditCatalogueApiInput",
});
