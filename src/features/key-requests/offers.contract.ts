import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { entityTag, ifMatch } from "../../contract/v1.ts";
import { offerTermsInput } from "../keys/conditions.contract.ts";
import { ownErrors, reason, toDeveloper } from "./decision.contract.ts";
import { keyRequestDetail } from "./v1.contract.ts";

const tag = "Key requests (native)";

/** Offers something else. */
export const offerForKeyRequest = defineEndpoint({
  id: "offerForKeyRequest",
  method: "POST",
  path: "/v1/key-requests/{id}/offer",
  tag,
  summary: "Offer less than a key request asks for, or other plans; no key before it is accepted",
  description:
    "The request stays pending until the developer accepts the offer, turns it down, answers, or its time is over. Another offer takes its place. An earlier end or fewer addresses alone need no offer: approve with them.",
  permission: ["approve"],
  withinElevation: true,
  body: z.object({
    reason: reason.optional(),
    message: toDeveloper,
    conditions: offerTermsInput,
  }).meta({ id: "OfferInput" }),
  headers: ifMatch,
  idempotent: true,
  answerHeaders: entityTag,
  response: keyRequestDetail,
  errors: [
    ...bodyErrors,
    "not_found",
    "deleted_meanwhile",
    "already_decided",
    "precondition_failed",
    ...ownErrors,
    "not_among_approvers",
    "offer_waits",
    "step_given",
    "unknown_plan",
    "keyless_plan",
    "mixed_auth_types",
    "approvals_closed",
  ],
  example: {
    message: "Please begin with less.",
    conditions: { rate: { calls: 60, seconds: 60 } },
  },
});

/** Takes an offer back. */
export const withdrawOffer = defineEndpoint({
  id: "withdrawOffer",
  method: "DELETE",
  path: "/v1/key-requests/{id}/offer",
  tag,
  summary: "Withdraw an offer that waits; the key request is pending as before",
  description: "Afterwards it can't be accepted any more.",
  permission: ["approve"],
  withinElevation: true,
  headers: ifMatch,
  answerHeaders: entityTag,
  response: keyRequestDetail,
  errors: ["not_found", "deleted_meanwhile", "already_decided", "no_offer", "precondition_failed"],
});
