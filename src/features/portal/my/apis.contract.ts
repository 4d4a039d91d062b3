import { z } from "zod";
import { pageOf } from "../../../contract/paging.ts";
import { nullable, pageQuery } from "../../../contract/v1.ts";
import { text } from "../../../contract/values.ts";
import { question } from "../../plans/catalogue/questions.contract.ts";

/** How one gets a plan. */
const ways = ["at_once", "by_approval", "without_key"] as const;

/** A plan as it is offered, and what the developer who asks has of it. */
export const myPlan = z.strictObject({
  id: text.meta({ description: "Values that `plan` of a request takes." }),
  name: text,
  rate: z.number().meta({ description: "Calls within `per` seconds; 0 or -1: no limit." }),
  per: z.number(),
  quota_max: z.number().meta({
    description: "Calls within `quota_renewal_rate` seconds; 0 or -1: no limit.",
  }),
  quota_renewal_rate: z.number().meta({ description: "0 or -1: the quota is never renewed." }),
  key_expires_in: z.number().meta({
    description: "Seconds that its keys live; 0 or -1: they do not end.",
  }),
  expiry_applies_to: z.enum(["key", "access"]).meta({
    description:
      "The start of `key_expires_in`. `key`: each key's issue, so a rotation begins it anew. `access`: the first access to the plan.",
  }),
  price_text: text.meta({ description: "The price in words; empty: none is told." }),
  way: z.enum(ways).meta({
    description:
      "`at_once`: a request is approved as it comes in. `by_approval`: people decide. `without_key`: its APIs are called without a key.",
  }),
  requested_fields: z.array(question).meta({ description: "Fields of a request." }),
  usual_seconds: nullable(z.int()).meta({
    description:
      "How long a decision took, by the median of the last 30 days; null: fewer than 5 were taken, or decisions are automatic.",
  }),
  mine: z.strictObject({
    state: z.enum(["none", "waits", "declined", "has_key"]).meta({
      description:
        "The caller's state for this plan: a key that is not over, else a request that waits, else the one that was declined last.",
    }),
    key_id: nullable(text),
    request_id: nullable(text),
  }),
}).meta({ id: "MyPlan" });

/** An API as it is offered. */
export const myApi = z.strictObject({
  id: text,
  name: text,
  short_description: text,
  long_description: text.meta({ description: "As it was written; may be Markdown." }),
  version: text,
  base_url: text.meta({
    description: "The address at which it is called; empty: none was given.",
  }),
  documentation: z.boolean().meta({ description: "Whether the catalogue names documentation." }),
  needs_key: z.boolean().meta({ description: "False: it is called without a key." }),
  plans: z.array(myPlan),
}).meta({ id: "MyApi" });

const line = { name: text, description: text };

/** The content of an API's documentation. */
export const myApiDocumentation = z.strictObject({
  kind: z.enum(["none", "operations", "text", "link", "unreadable"]).meta({
    description:
      "`operations`: an OpenAPI document was read. `text`: Markdown. `link`: `text` is an address. `unreadable`: it is present, and broken or larger than is read.",
  }),
  title: text,
  version: text,
  text: text.meta({ description: "As it was written; of OpenAPI the description." }),
  operations: z.array(z.strictObject({
    method: text,
    path: text,
    summary: text,
    description: text,
    group: text.meta({ description: "Its first tag; empty: none." }),
    deprecated: z.boolean(),
    parameters: z.array(
      z.strictObject({ ...line, in: text, required: z.boolean(), type: text }),
    ),
    answers: z.array(z.strictObject({ status: text, description: text })),
  })),
  left_out: z.int().meta({ description: "How many more operations there are." }),
}).meta({ id: "MyApiDocumentation" });

/** The answer of `listMyApis`. */
export const myApiList = pageOf(myApi).meta({ id: "MyApiList" });

/** The query of `listMyApis`. */
export const listMyApisQuery = z.object({
  ...pageQuery,
  q: z.string().trim().min(1).max(100).optional().meta({
    description: "Only APIs that hold this text, in any case, in a name or a description.",
  }),
});
