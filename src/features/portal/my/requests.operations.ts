import { z } from "zod";
import { bodyErrors } from "../../../contract/endpoint.ts";
import { exampleIds } from "../../../contract/example-ids.ts";
import { nextPageLink } from "../../../contract/v1.ts";
import { id, text } from "../../../contract/values.ts";
import { operation } from "../../../http/operation.ts";
import { withNextPage } from "../../../http/routes.ts";
import type { MyContext } from "./own.ts";
import {
  askInput,
  laterEndInput,
  listMyRequestsQuery,
  myKeyRequestList,
  myNewRequest,
  myRequest,
  words,
} from "./requests.contract.ts";
import * as service from "./requests.service.ts";

const tag = "My requests and keys";

/** Lists the developer's key requests. */
export const listMyRequests = operation({
  id: "listMyRequests",
  method: "GET",
  path: "/v1/my/requests",
  tag,
  summary: "List one's own key requests, newest first",
  description: "By cursor, in every state.",
  permission: "developer",
  query: listMyRequestsQuery,
  answerHeaders: nextPageLink,
  response: myKeyRequestList,
  errors: ["invalid_input"],
  async serve(ctx: MyContext, call) {
    const page = await service.list(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  },
});

/** One of them. */
export const getMyRequest = operation({
  id: "getMyRequest",
  method: "GET",
  path: "/v1/my/requests/{id}",
  tag,
  summary: "Read one of one's own key requests",
  description: "Another developer's is not found.",
  permission: "developer",
  response: myRequest,
  errors: ["not_found"],
  serve: (ctx: MyContext, { params }) => service.get(ctx, params.id),
});

/** Asks. */
export const createMyRequest = operation({
  id: "createMyRequest",
  method: "POST",
  path: "/v1/my/requests",
  tag,
  summary: "Ask for a key to a plan that is offered",
  description:
    "A plan at once is approved with that, and its key waits to be opened. If a request for the plan waits already, it is given instead of a second one. A plan that is not offered is answered as an unknown one.",
  permission: "developer",
  body: askInput,
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
  serve: (ctx: MyContext, { body, idempotency }) => service.create(ctx, body, idempotency),
});

/** Asks that a key lives longer. */
export const requestMyLaterEnd = operation({
  id: "requestMyLaterEnd",
  method: "POST",
  path: "/v1/my/keys/{id}/later-end",
  tag,
  summary: "Request a later expiry of a key of one's own; people decide on it as on any request",
  description:
    "The key stays as it is until then. Approved, it has the requested expiry, or another that was chosen; it keeps its plans. If a request for a later expiry of it waits already, that one is given instead of a second one.",
  permission: "developer",
  body: laterEndInput,
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
  serve(ctx: MyContext, { params, body, idempotency }) {
    return service.askForLaterEnd(ctx, params.id, body, idempotency);
  },
});

/** Takes it back. */
export const withdrawMyRequest = operation({
  id: "withdrawMyRequest",
  method: "DELETE",
  path: "/v1/my/requests/{id}",
  tag,
  summary: "Withdraw one of one's own requests that waits",
  description: "It is gone. One that was decided stays.",
  permission: "developer",
  response: z.strictObject({ id: text }).meta({ id: "MyKeyRequestWithdrawn" }),
  errors: ["not_found", "not_found_for_deletion", "already_decided"],
  async serve(ctx: MyContext, { params: { id } }) {
    await service.withdraw(ctx, id);
    return { id };
  },
});

const offerErrors = ["not_found", "already_decided", "no_offer"] as const;

/** Says yes to an offer. */
export const acceptMyOffer = operation({
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
  serve: (ctx: MyContext, { params, body, idempotency }) =>
    service.accept(ctx, params.id, body.offer_id, idempotency),
});

/** Says no to it, or something else. */
export const answerMyOffer = operation({
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
  serve: (ctx: MyContext, { params, body, idempotency }) =>
    service.answer(ctx, params.id, body, idempotency),
});

/** Says something more. */
export const addWordsToMyRequest = operation({
  id: "addWordsToMyRequest",
  method: "POST",
  path: "/v1/my/requests/{id}/words",
  tag,
  summary: "Add words to one of one's own requests that waits, for the deciders",
  description:
    "Up to 20 times. They change nothing of the request: earlier approvals still count. Equal words twice in a row are added once.",
  permission: "developer",
  body: z.object({ words: words.min(1) }).meta({ id: "AddWordsInput" }),
  response: myRequest,
  errors: [...bodyErrors, "not_found", "already_decided", "too_many_words"],
  example: { words: "The contract number is 4711" },
  serve: (ctx: MyContext, { params, body }) => service.addWords(ctx, params.id, body.words),
});

/** Reminds them. */
export const remindOfMyRequest = operation({
  id: "remindOfMyRequest",
  method: "POST",
  path: "/v1/my/requests/{id}/remind",
  tag,
  summary: "Remind the deciders of one of one's own requests that waits longer than usual",
  description:
    "Once in 24 hours, after its `late_from`. The people who may decide it now are notified: of steps the missing ones of the present step, without the requester themselves.",
  permission: "developer",
  response: myRequest,
  errors: ["not_found", "already_decided", "offer_waits", "not_late", "reminded_already"],
  serve: (ctx: MyContext, { params }) => service.remind(ctx, params.id),
});
