import { entityTag, ifMatch } from "../../contract/v1.ts";
import { operation } from "../../http/operation.ts";
import { carriedBy } from "../../http/routes.ts";
import type { CatalogueContext } from "../plans/catalogue/live-catalogue.ts";
import { ownErrors } from "./decision.contract.ts";
import { restartApproval } from "./restart-approval.transactions.ts";
import { inputOf } from "./v1-decisions.service.ts";
import { changedV1 } from "./v1-list.service.ts";
import { keyRequestDetail } from "./v1.contract.ts";

/** Approval from the start. */
export const restartKeyRequestApproval = operation({
  id: "restartKeyRequestApproval",
  method: "POST",
  path: "/v1/key-requests/{id}/restart-approval",
  tag: "Key requests",
  summary: "Restart the approval of a key request that no person can decide, by today's policy",
  description:
    "For one whose policy names a person who has left, or lost a permission or a scope: 409 `still_decidable` if there is a person for each approval that is missing. Earlier approvals no longer count. The person who filed or changed it can't. If another policy is in force now that asks at least as many people, it is done automatically within a minute.",
  permission: ["approve"],
  permissionBesides: "plans",
  withinScope: true,
  body: "ignored",
  headers: ifMatch,
  idempotent: true,
  answerHeaders: entityTag,
  response: keyRequestDetail,
  errors: [
    ...ownErrors,
    "not_found",
    "deleted_meanwhile",
    "already_decided",
    "precondition_failed",
    "offer_waits",
    "still_decidable",
    "policy_unfulfillable",
    "body_too_large",
    "body_timeout",
  ],
  async serve(ctx: CatalogueContext, call) {
    const { id } = call.params;
    await ctx.storage.commit(restartApproval, inputOf(ctx, id, carriedBy(call)));
    return await changedV1(ctx, id);
  },
});
