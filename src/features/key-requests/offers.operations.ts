import { z } from "zod";
import { bodyErrors } from "../../contract/endpoint.ts";
import { entityTag, ifMatch } from "../../contract/v1.ts";
import { operation } from "../../http/operation.ts";
import { carriedBy } from "../../http/routes.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { offerTermsInput } from "../keys/conditions.contract.ts";
import type { CatalogueContext } from "../plans/catalogue/live-catalogue.ts";
import { ownErrors, reason, toDeveloper } from "./decision.contract.ts";
import { endOffer, makeOffer } from "./offers.transactions.ts";
import { grantedTerms } from "./sent-terms.ts";
import { inputOf } from "./v1-decisions.service.ts";
import { changedV1 } from "./v1-list.service.ts";
import { keyRequestDetail } from "./v1.contract.ts";

const tag = "Key requests";

const offerInput = z.object({
  reason: reason.optional(),
  message: toDeveloper,
  conditions: offerTermsInput,
}).meta({ id: "OfferInput" });

/** Offers something else. */
export const offerForKeyRequest = operation({
  id: "offerForKeyRequest",
  method: "POST",
  path: "/v1/key-requests/{id}/offer",
  tag,
  summary: "Offer less than a key request asks for, or other plans; no key before it is accepted",
  description:
    "The request stays pending until the developer accepts the offer, turns it down, answers, or its time is over. Another offer takes its place. An earlier end or fewer addresses alone need no offer: approve with them.",
  permission: ["approve"],
  withinTemporaryAccess: true,
  body: offerInput,
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
  async serve(ctx: CatalogueContext, call) {
    const { params: { id }, body: { reason, message, conditions } } = call;
    const input = inputOf(ctx, id, carriedBy(call));
    const { now } = input.actor;
    await ctx.storage.commit(makeOffer, {
      ...input,
      offer_id: newId(now),
      terms: grantedTerms(conditions, now),
      reason: reason || null,
      message: message || null,
      expires_at: toTimestamp(now + ctx.settings.offerLifeMs),
    });
    return await changedV1(ctx, id);
  },
});

/** Takes an offer back. */
export const withdrawOffer = operation({
  id: "withdrawOffer",
  method: "DELETE",
  path: "/v1/key-requests/{id}/offer",
  tag,
  summary: "Withdraw an offer that waits; the key request is pending as before",
  description: "Afterwards it can't be accepted any more.",
  permission: ["approve"],
  withinTemporaryAccess: true,
  headers: ifMatch,
  answerHeaders: entityTag,
  response: keyRequestDetail,
  errors: ["not_found", "deleted_meanwhile", "already_decided", "no_offer", "precondition_failed"],
  async serve(ctx: CatalogueContext, call) {
    const { id } = call.params;
    await ctx.storage.commit(endOffer, inputOf(ctx, id, carriedBy(call)));
    return await changedV1(ctx, id);
  },
});
