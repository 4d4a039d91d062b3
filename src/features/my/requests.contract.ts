import { z } from "zod";
import { defineEndpoint } from "../../contract/endpoint.ts";
import { pageOf } from "../../contract/paging.ts";
import { nextPageLink, nullable, pageQuery } from "../../contract/v1.ts";
import { text, timestamp } from "../../contract/values.ts";

const tag = "My requests and keys";

const states = ["pending", "approved", "declined"] as const;

/** A plan by its name. */
export const namedPlan = z.strictObject({
  id: text,
  name: text.meta({ description: "Empty where the plan is gone." }),
}).meta({ id: "NamedPlan" });

/** A request as whoever asked reads it. */
export const myRequest = z.strictObject({
  id: text,
  state: z.enum(states),
  plans: z.array(namedPlan),
  fields: z.record(z.string(), text).meta({ description: "What was answered." }),
  date_created: timestamp,
  decided_at: nullable(timestamp),
  reason: nullable(text).meta({
    description: "Why it was declined, as it was written to the developer; null: nobody said.",
  }),
  key: nullable(z.strictObject({
    id: text,
    mask: text,
    waits_until: nullable(timestamp).meta({
      description: "Until when the key waits to be opened; null: it was opened, or it is too late.",
    }),
  })).meta({ description: "The key that it led to; null: none that is still there." }),
}).meta({ id: "MyKeyRequest" });

/** What one asked for. */
export const listMyRequests = defineEndpoint({
  id: "listMyRequests",
  method: "GET",
  path: "/v1/my/requests",
  tag,
  summary: "List one's own key requests, newest first",
  description: "By cursor, in every state.",
  permission: "developer",
  query: z.object({
    ...pageQuery,
    state: z.enum(states, { error: `expected ${states.join(" or ")}` }).optional()
      .meta({ description: "Only requests in this state." }),
  }),
  answerHeaders: nextPageLink,
  response: pageOf(myRequest).meta({ id: "MyKeyRequestList" }),
  errors: ["invalid_input"],
});

/** One of them. */
export const getMyRequest = defineEndpoint({
  id: "getMyRequest",
  method: "GET",
  path: "/v1/my/requests/{id}",
  tag,
  summary: "Read one of one's own key requests",
  description: "Another developer's is not found.",
  permission: "developer",
  response: myRequest,
  errors: ["not_found"],
});
