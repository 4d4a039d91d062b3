import { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import type { Idempotency } from "../../calls/principal.ts";
import { bodyErrors } from "../../contract/endpoint.ts";
import { envelope, ok } from "../../contract/envelope.ts";
import { id, idOrEmpty, text } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import type { FailureCode } from "../../kernel/failure-codes.ts";
import { Failure } from "../../kernel/failure.ts";
import { approval } from "./issued-keys.contract.ts";
import { changePlans, resetQuota } from "./key-life.transactions.ts";
import * as service from "./keys.service.ts";
import { callOf, changeKey } from "./keys.service.ts";

const tag = "Keys of a developer";

const plansBody = z.object({ apply_policies: z.array(id).min(1).max(100) })
  .meta({ id: "DeveloperKeyInput" });

/** Either member names the plans; the rest is what a key request says of an OAuth client. */
const issueBody = z.object({
  apply_policies: z.array(id).max(100).optional(),
  policy_id: idOrEmpty.optional().meta({
    description: "One plan, beside `apply_policies` or alone.",
  }),
  oauth_info: z.object({ redirect_uri: text.optional() }).optional()
    .meta({ description: "If present, the key is an OAuth client, whatever the plans say." }),
  fields: z.record(z.string(), text).optional().meta({
    description: "`oauth_app_description` and `oauth_use_case` are kept with an OAuth client.",
  }),
}).meta({ id: "IssueDeveloperKeyInput" });

const example = { apply_policies: ["5f1a2b3c4d5e6f7081920002"] };

/** The common parts of endpoints that issue at once, without a request. */
const issuing = {
  method: "POST",
  tag,
  permission: ["approve"],
  body: issueBody,
  idempotent: true,
  response: approval,
  errors: [
    ...bodyErrors,
    "not_found",
    "unknown_plan",
    "keyless_plan",
    "filed_by_you",
    "mixed_auth_types",
  ],
} as const;

/** Issues at once, without a request. */
export const issueDeveloperKey = operation({
  ...issuing,
  id: "issueDeveloperKey",
  path: "/api/portal/developers/{id}/keys",
  summary: "Issue a key to a developer without a key request",
  description:
    "The key is in the answer and is never shown again. With `Idempotency-Key` a repeat gets the first answer again.",
  example,
  serve: issueOf,
});

/** Issues a key under the name by which the original subscribes a developer to a plan. */
export const subscribeDeveloper = operation({
  ...issuing,
  id: "subscribeDeveloper",
  path: "/api/portal/developers/{id}/subscriptions",
  summary: "Subscribe a developer to a plan: issue a key for it without a key request",
  description:
    "The key is in the answer and is never shown again. With `Idempotency-Key` a repeat gets the first answer again.",
  example: { policy_id: "5f1a2b3c4d5e6f7081920002" },
  serve: issueOf,
});

/** The plans of a developer's key. */
export const updateDeveloperKey = operation({
  id: "updateDeveloperKey",
  method: "PUT",
  path: "/api/portal/developers/{id}/keys/{keyId}",
  tag,
  summary: "Give a developer's key these plans instead of its own",
  description: "The key itself stays the same, so its holder has nothing to change.",
  permission: ["approve"],
  withinScope: true,
  body: plansBody,
  response: envelope,
  errors: [
    ...bodyErrors,
    "not_found",
    "unknown_plan",
    "keyless_plan",
    "filed_by_you",
    "mixed_auth_types",
    "wrong_auth_type",
  ],
  example,
  async serve(ctx, { params: { id, keyId }, body: { apply_policies } }) {
    const { references } = ctx.settings;
    const call = {
      ...callOf(ctx, keyId, null, id),
      plans: [...new Set(apply_policies)],
      references,
    };
    await revokedReads("not_found", () => ctx.storage.commit(changePlans, call));
    return ok("Data updated");
  },
});

/** The developer's key opens nothing any more. */
export const deleteDeveloperKey = operation({
  id: "deleteDeveloperKey",
  method: "DELETE",
  path: "/api/portal/developers/{id}/keys/{keyId}",
  tag,
  summary: "Revoke a developer's key",
  description:
    "It is invalid within a second. A key that an access token with `revoke` and without `approve` revokes can be restored for 7 days, by `POST /v1/keys/{id}/restore`.",
  permission: ["revoke"],
  withinScope: true,
  response: envelope,
  errors: ["not_found_for_deletion", "too_many_revoked"],
  async serve(ctx, { params: { id, keyId } }) {
    const call = callOf(ctx, keyId, null, id);
    const input = { ...call, change: "revoke" as const, reason: "deleted" };
    await revokedReads("not_found_for_deletion", () => changeKey(ctx, input));
    return ok("Data deleted");
  },
});

/** The quotas of the developer's key begin anew. */
export const resetKeyQuota = operation({
  id: "resetKeyQuota",
  method: "POST",
  path: "/api/portal/developers/{id}/keys/{keyId}/reset_quota",
  tag,
  summary: "Begin the quota of a developer's key anew, whole",
  description: "Calls that were counted in this period count no longer.",
  permission: ["approve"],
  withinScope: true,
  body: "ignored",
  response: envelope,
  errors: ["not_found", "body_too_large", "body_timeout"],
  async serve(ctx, { params: { id, keyId } }) {
    const call = callOf(ctx, keyId, null, id);
    await revokedReads("not_found", () => ctx.storage.commit(resetQuota, call));
    return ok("Data updated");
  },
});

/** Issues by hand, as the older interface answers it. */
async function issueOf(
  ctx: RequestContext,
  { params, body, idempotency }: {
    params: { id: string };
    body: IssueBody;
    idempotency: Idempotency;
  },
) {
  const { references } = ctx.settings;
  const issued = await service.issue(ctx, params.id, orderOf(body), references, idempotency);
  const { key_id: _, expires_at: __, replaces: ___, one_time_link: ____, ...view } = issued;
  return view;
}

type IssueBody = z.output<typeof issueBody>;

/**
 * The order of a key that is issued over the older interface. Throws `invalid_input` if no plan is
 * named.
 */
function orderOf(
  { apply_policies = [], policy_id = "", oauth_info, fields = {} }: IssueBody,
) {
  const plans = policy_id === "" ? apply_policies : [...apply_policies, policy_id];
  if (plans.length === 0) {
    const message = "apply_policies: expected at least 1, or a policy_id";
    throw new Failure("invalid_input", { message, details: [message] });
  }
  return {
    plans,
    client: oauth_info && {
      redirect_uri: oauth_info.redirect_uri ?? "",
      app_description: fields.oauth_app_description ?? "",
      use_case: fields.oauth_use_case ?? "",
    },
  };
}

/** To the older interface a revoked key is gone. */
async function revokedReads<T>(code: FailureCode, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const gone = error instanceof Failure && ["key_revoked", "not_found"].includes(error.code);
    throw gone ? new Failure(code) : error;
  }
}
