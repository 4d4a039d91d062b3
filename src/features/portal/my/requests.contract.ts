import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../../contract/endpoint.ts";
import { exampleIds } from "../../../contract/example-ids.ts";
import { pageOf } from "../../../contract/paging.ts";
import { nextPageLink, nullable, pageQuery } from "../../../contract/v1.ts";
import { id, text, timestamp } from "../../../contract/values.ts";
import { addedWords } from "../../key-requests/decision.contract.ts";
import { granted } from "../../keys/conditions.contract.ts";

const tag = "My requests and keys";

const states = ["pending", "approved", "declined"] as const;

/** What a developer says to those who decide. */
export const words = z.string().trim().max(2000);

/** A plan by its name. */
export const namedPlan = z.strictObject({
  id: text,
  name: text.meta({ description: "Empty where the plan is gone." }),
}).meta({ id: "NamedPlan" });

/** What is offered to whoever asked. */
const myOffer = z.strictObject({
  id: text,
  state: z.enum(["waiting", "turned_down", "answered", "expired"]),
  offered_at: timestamp,
  expires_at: timestamp.meta({ description: "From then on it can't be accepted any more." }),
  terms: granted,
  plans: nullable(z.array(namedPlan)).meta({
    description: "The plans of `terms` by their names; null: those that were asked for.",
  }),
  message: nullable(text),
  words: nullable(text).meta({ description: "What was answered; null: nothing." }),
}).meta({ id: "MyOffer" });

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
  message: nullable(text).meta({
    description: "What was said with the approval; null: nothing.",
  }),
  granted: nullable(granted).meta({
    description: "What the key was granted on instead of what was asked; null: what was asked.",
  }),
  later_end: nullable(z.strictObject({
    key: text.meta({ description: "The id of the key that is to live longer." }),
    until: timestamp,
  })).meta({
    description: "What was asked for a key that is there; null: a key was asked for.",
  }),
  added_words: z.array(addedWords).meta({
    description: "What was added for those who decide while it waited, the oldest first.",
  }),
  late_from: nullable(timestamp).meta({
    description:
      "From when on it waits longer than usual; null: it was decided, or nobody knows what is usual.",
  }),
  reminded_at: nullable(timestamp).meta({
    description: "When those who decide were reminded of it by `remind`; null: never.",
  }),
  expires_at: nullable(timestamp).meta({
    description:
      "When it is declined by itself, unless somebody decides before; null: it waits for as long as it takes.",
  }),
  expired: z.boolean().meta({
    description: "True: nobody decided in time, and it was declined for that.",
  }),
  offer: nullable(myOffer).meta({
    description: "What is offered instead of what was asked; null: nothing, or it is no more.",
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

/** A request as it was just asked for. */
const myNewRequest = z.strictObject({
  ...myRequest.shape,
  asked_before: z.boolean().meta({
    description: "True: it waits already, and nothing was asked for once more.",
  }),
}).meta({ id: "MyNewKeyRequest" });

/** Asks. */
export const createMyRequest = defineEndpoint({
  id: "createMyRequest",
  method: "POST",
  path: "/v1/my/requests",
  tag,
  summary: "Ask for a key to a plan that is offered",
  description:
    "A plan at once is approved with that, and its key waits to be opened. Where a request for the same plan waits already, it is given instead of a second one. A plan that is not offered is one that nobody knows.",
  permission: "developer",
  body: z.object({
    plan: id,
    fields: z.record(z.string().min(1).max(255), z.string()).optional().meta({
      description: "The answers to `asked_fields` of the plan, by their names.",
    }),
  }).meta({ id: "AskInput" }),
  idempotent: true,
  response: myNewRequest,
  errors: [
    ...bodyErrors,
    "not_found",
    "unknown_plan",
    "inactive_plan",
    "unknown_developer",
    "keyless_plan",
    "mixed_auth_types",
    "too_many_pending",
    "key_request_too_large",
  ],
  example: { plan: exampleIds.plan, fields: { use_case: "A map of tides" } },
});

/** Asks that a key lives longer. */
export const askMyLaterEnd = defineEndpoint({
  id: "askMyLaterEnd",
  method: "POST",
  path: "/v1/my/keys/{id}/later-end",
  tag,
  summary: "Ask for a later end of a key of one's own; people decide on it as on any request",
  description:
    "The key lives on as it is until then. Approved, it has the end that was asked for, or another that was chosen; it keeps its plans. Where a request for a later end of it waits already, that one is given instead of a second one.",
  permission: "developer",
  body: z.object({
    until: timestamp,
    words: words.optional().meta({ description: "For those who decide." }),
  }).meta({ id: "LaterEndInput" }),
  idempotent: true,
  response: myNewRequest,
  errors: [
    ...bodyErrors,
    "not_found",
    "key_revoked",
    "key_suspended",
    "key_expired",
    "key_rotated",
    "unknown_plan",
    "mixed_auth_types",
    "keyless_plan",
    "too_many_pending",
    "key_request_too_large",
  ],
  example: { until: "2036-01-31T09:00:00Z", words: "The pilot goes on until then" },
});

/** Takes it back. */
export const withdrawMyRequest = defineEndpoint({
  id: "withdrawMyRequest",
  method: "DELETE",
  path: "/v1/my/requests/{id}",
  tag,
  summary: "Withdraw one of one's own requests that waits",
  description: "It is gone. One that was decided stays.",
  permission: "developer",
  response: z.strictObject({ id: text }).meta({ id: "MyKeyRequestWithdrawn" }),
  errors: ["not_found", "not_found_for_deletion", "already_decided"],
});

const offerErrors = ["not_found", "already_decided", "no_offer"] as const;

/** Says yes to an offer. */
export const acceptMyOffer = defineEndpoint({
  id: "acceptMyOffer",
  method: "POST",
  path: "/v1/my/requests/{id}/accept",
  tag,
  summary: "Accept the offer that waits for an answer; the key waits to be opened",
  description:
    "`offer_id` is the offer that was seen: another one that took its place is not accepted by it.",
  permission: "developer",
  body: z.object({ offer_id: id }).meta({ id: "AcceptOfferInput" }),
  idempotent: true,
  response: myRequest,
  errors: [
    ...bodyErrors,
    ...offerErrors,
    "unknown_plan",
    "unknown_developer",
    "keyless_plan",
    "mixed_auth_types",
  ],
  example: { offer_id: exampleIds.offer },
});

/** Says no to it, or something else. */
export const answerMyOffer = defineEndpoint({
  id: "answerMyOffer",
  method: "POST",
  path: "/v1/my/requests/{id}/answer",
  tag,
  summary: "Turn the offer down that waits, or answer it; the request waits for people again",
  description: "Afterwards that offer can't be accepted any more.",
  permission: "developer",
  body: z.object({
    offer_id: id,
    turn_down: z.boolean(),
    words: words.optional().meta({
      description: "For those who decide; needed where it is not turned down.",
    }),
  }).refine(({ turn_down, words }) => turn_down || (words ?? "") !== "", {
    error: "required where the offer is not turned down",
    path: ["words"],
  }).meta({ id: "AnswerOfferInput" }),
  idempotent: true,
  response: myRequest,
  errors: [...bodyErrors, ...offerErrors],
  example: { offer_id: exampleIds.offer, turn_down: false, words: "Could it be 120 a minute?" },
});

/** Says something more. */
export const addWordsToMyRequest = defineEndpoint({
  id: "addWordsToMyRequest",
  method: "POST",
  path: "/v1/my/requests/{id}/words",
  tag,
  summary: "Add words to one of one's own requests that waits, for those who decide",
  description:
    "Up to 20 times. They change nothing of what is asked for: approvals that were given count on. The same words once more in a row are added once.",
  permission: "developer",
  body: z.object({ words: words.min(1) }).meta({ id: "AddWordsInput" }),
  response: myRequest,
  errors: [...bodyErrors, "not_found", "already_decided", "too_many_words"],
  example: { words: "The contract number is 4711" },
});

/** Reminds them. */
export const remindOfMyRequest = defineEndpoint({
  id: "remindOfMyRequest",
  method: "POST",
  path: "/v1/my/requests/{id}/remind",
  tag,
  summary: "Remind those who decide of one of one's own requests that waits longer than usual",
  description:
    "Once in 24 hours, after its `late_from`. Whoever may decide it now hears of it: of steps those who are missing in the present one; those whose own request it is do not.",
  permission: "developer",
  response: myRequest,
  errors: ["not_found", "already_decided", "offer_waits", "not_late", "reminded_already"],
});
