import * as decisions from "./v1-decisions.service.ts";
import { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { recordExport } from "../../calls/record-export.ts";
import { deliver, type Delivery } from "../../contract/one-time-link.ts";
import { bodyErrors } from "../../contract/endpoint.ts";
import { exampleIds } from "../../contract/example-ids.ts";
import { detailOf } from "../../contract/filters.ts";
import { someKeyLabels } from "../../contract/labels.ts";
import { requestFilters } from "../../contract/list-filters.ts";
import { provisionedHeader, waitQuery } from "../../contract/provisioned.ts";
import { attachment, entityTag, ifMatch, nextPageLink, nullable } from "../../contract/v1.ts";
import { bom, id, text } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import { carriedBy, withNextPage } from "../../http/routes.ts";
import type { Answer, Pieces } from "../../kernel/answer.ts";
import { type Columns, csvFile, marked } from "../../kernel/csv.ts";
import { Failure } from "../../kernel/failure.ts";
import { grantInput } from "../keys/conditions.contract.ts";
import { chosenEnd, replacement } from "../keys/issued-keys.contract.ts";
import { saidOf } from "../keys/key-labels.ts";
import type { CatalogueContext } from "../plans/catalogue/live-catalogue.ts";
import { ownErrors, reason, toDeveloper } from "./decision.contract.ts";
import { changeReason, reopenRequest } from "./decisions.transactions.ts";
import { draftErrors, keyRequestInput } from "./key-requests.contract.ts";
import { create } from "./key-requests.service.ts";
import { withProvisioned } from "./provisioned-answer.ts";
import { type DecisionCall, inputOf } from "./v1-decisions.service.ts";
import { changedV1, getV1, listV1 } from "./v1-list.service.ts";
import { keyRequestDetail, listQuery, v1Approval, v1KeyRequest } from "./v1.contract.ts";
import { countV1 } from "./v1-counts.service.ts";
import { mintOf, toReplacement } from "../keys/keys.service.ts";
import { reissueKey } from "./reissue.transactions.ts";
import { leftOpen } from "../people/left-open.contract.ts";
import { approvalsNeeding } from "./open-approvals.service.ts";

/** A page of key requests. `next_cursor` null: there are no more. */
export const v1KeyRequestList = z.strictObject({
  data: z.array(v1KeyRequest),
  next_cursor: nullable(text),
  incomplete: z.literal(true).optional().meta({
    description: "There only where a search may lack what was asked or changed just now.",
  }),
}).meta({ id: "KeyRequestList" });

const tag = "Key requests";

/** The filters of an export. */
const exportQuery = listQuery.omit({ limit: true, cursor: true }).extend({ bom });

/** Key requests in every state. */
export const listKeyRequests = operation({
  id: "listKeyRequests",
  method: "GET",
  path: "/v1/key-requests",
  tag,
  summary: "List and search key requests; a page may hold fewer than `limit` and still have a next",
  description: "By cursor, with filters by state, plan, API, developer and time, and a search.",
  permission: ["portal:read"],
  withinTemporaryAccess: true,
  withinScope: true,
  query: listQuery,
  answerHeaders: nextPageLink,
  response: v1KeyRequestList,
  errors: ["invalid_input"],
  async serve(ctx: CatalogueContext, call) {
    const { text, next_cursor } = await listV1(ctx, call.query);
    return withNextPage(call, text, next_cursor);
  },
});

/** All key requests that match, as a file. */
export const exportKeyRequests = operation({
  id: "exportKeyRequests",
  isExport: true,
  method: "GET",
  path: "/v1/key-requests/export",
  tag,
  summary: "Export all key requests that match as CSV; never a secret",
  description: "Streamed, with the filters of the list. The export is logged first.",
  permission: ["portal:read"],
  withinScope: true,
  query: exportQuery,
  answerHeaders: attachment,
  response: z.string(),
  contentTypes: { response: ["text/csv"] },
  errors: ["invalid_input"],
  serve: async (ctx: CatalogueContext, { query: { bom, ...query } }) =>
    marked(await exportRequests(ctx, query), bom),
});

/** A key request as a person asks for it here: who, for which plans, and what they answered. */
const newKeyRequest = keyRequestInput.pick({
  key: true,
  for_plan: true,
  fields: true,
  jwt_secret: true,
  certificate: true,
  oauth_info: true,
}).extend({
  by_user: id,
  plans: keyRequestInput.shape.apply_policies,
  remove_plans: keyRequestInput.shape.remove_policies,
}).meta({ id: "CreateKeyRequestInput" });

/** Asks. */
export const createKeyRequest = operation({
  id: "createKeyRequest",
  method: "POST",
  path: "/v1/key-requests",
  tag,
  summary: "Create a key request for a developer; it waits for its decision",
  description:
    "The developer must exist. The answer is the request as it is kept, with its `ETag`.",
  permission: ["portal:write"],
  body: newKeyRequest,
  droppedMembers: ["portal_developer", "catalogue_entry", "catalogues", "approved"],
  idempotent: true,
  answerHeaders: entityTag,
  response: keyRequestDetail,
  errors: [
    ...draftErrors.filter((code) => code !== "email_taken"),
    "not_found",
    "deleted_meanwhile",
  ],
  example: {
    by_user: exampleIds.developer,
    for_plan: exampleIds.plan,
    fields: { use_case: "A map of tides", team: "Coast" },
  },
  async serve(ctx: CatalogueContext, { body, idempotency }) {
    return await changedV1(ctx, await create(ctx, askedFor(body), idempotency));
  },
});

/** One key request in any state. */
export const getKeyRequest = operation({
  id: "getKeyRequest",
  method: "GET",
  path: "/v1/key-requests/{id}",
  tag,
  summary: "Read one key request in any state, with its ETag",
  description:
    "With the developer's other requests, how it was decided, and the revision for `If-Match`.",
  permission: ["portal:read"],
  withinTemporaryAccess: true,
  withinScope: true,
  answerHeaders: entityTag,
  response: keyRequestDetail,
  errors: ["not_found"],
  serve: (ctx: CatalogueContext, { params }) => getV1(ctx, params.id),
});

/** The failures that an approval can have besides those of the call. */
const approvalErrors = [
  "already_decided",
  ...ownErrors,
  "not_among_approvers",
  "step_given",
  "offer_waits",
  "keyless_plan",
  "mixed_auth_types",
  "unknown_developer",
  "unknown_key",
  "unknown_plan",
] as const;

/** Approves once. */
export const approveKeyRequest = operation({
  id: "approveKeyRequest",
  method: "POST",
  path: "/v1/key-requests/{id}/approve",
  tag,
  summary: "Approve a key request once, and receive its key or a one-time link for it",
  description:
    "`deliver` says whether the key is in the answer or behind a one-time link. `If-Match` refuses the change if it has changed since it was read.",
  permission: ["approve"],
  withinTemporaryAccess: true,
  withinScope: true,
  query: z.object({ deliver, ...waitQuery }),
  answerHeaders: provisionedHeader,
  body: z.object({
    deliver,
    reason: reason.optional(),
    message: toDeveloper,
    expires_at: chosenEnd,
    conditions: grantInput.optional(),
    ...someKeyLabels,
  }).meta({ id: "ApproveInput" }),
  bodyOptional: true,
  headers: ifMatch,
  idempotent: true,
  response: v1Approval,
  errors: [
    ...bodyErrors,
    ...approvalErrors,
    "approvals_closed",
    "not_found",
    "precondition_failed",
  ],
  example: { deliver: "one_time_link", reason: "Agreed with their team lead." },
  async serve(ctx: CatalogueContext, call) {
    const { params, query, body } = call;
    const deliver = deliveryOf(body.deliver, query.deliver);
    const { reason, message, expires_at, conditions } = body;
    const labels = saidOf(body);
    const terms = { deliver, reason, message, expires_at, conditions, labels };
    const of = await decisions.approveOne(ctx, params.id, terms, carriedBy(call));
    return await withProvisioned(ctx, call, of.approval, of.at_gateways);
  },
});

/** Declines. */
export const declineKeyRequest = operation({
  id: "declineKeyRequest",
  method: "POST",
  path: "/v1/key-requests/{id}/decline",
  tag,
  summary: "Decline a pending key request, with a reason if there is one",
  description:
    "A declined request issues no key and is hidden from the older interface. The developer may be sent the reason.",
  permission: ["approve"],
  withinTemporaryAccess: true,
  withinScope: true,
  body: z.object({ reason: reason.optional() }).meta({ id: "DeclineInput" }),
  bodyOptional: true,
  headers: ifMatch,
  idempotent: true,
  answerHeaders: entityTag,
  response: keyRequestDetail,
  errors: [
    ...bodyErrors,
    ...ownErrors,
    "not_found",
    "deleted_meanwhile",
    "already_decided",
    "precondition_failed",
  ],
  example: { reason: "Please use the plan for partners." },
  async serve(ctx: CatalogueContext, call) {
    const { id } = call.params;
    await decisions.decline(ctx, id, call.body.reason, carriedBy(call));
    return await changedV1(ctx, id);
  },
});

const declinedErrors = [
  "not_found",
  "deleted_meanwhile",
  "not_declined",
  "precondition_failed",
] as const;

/** Takes a decline back. */
export const reopenKeyRequest = operation({
  id: "reopenKeyRequest",
  method: "POST",
  path: "/v1/key-requests/{id}/reopen",
  tag,
  summary: "Take a decline back: the key request is pending again",
  description: "Only a declined request can be reopened, to be decided again.",
  permission: ["approve"],
  withinTemporaryAccess: true,
  withinScope: true,
  body: "ignored",
  headers: ifMatch,
  idempotent: true,
  answerHeaders: entityTag,
  response: keyRequestDetail,
  errors: [...declinedErrors, ...ownErrors, "body_too_large", "body_timeout"],
  async serve(ctx: CatalogueContext, call) {
    const { id } = call.params;
    await ctx.storage.commit(reopenRequest, inputOf(ctx, id, carriedBy(call)));
    return await changedV1(ctx, id);
  },
});

/** The reason of a decline. */
export const setDeclineReason = operation({
  id: "setDeclineReason",
  method: "PUT",
  path: "/v1/key-requests/{id}/reason",
  tag,
  summary: "Add or change why a key request was declined; an empty text takes the reason away",
  description: "The decision itself stays as it is.",
  permission: ["approve"],
  withinTemporaryAccess: true,
  withinScope: true,
  body: z.object({ reason }).meta({ id: "DeclineReasonInput" }),
  headers: ifMatch,
  answerHeaders: entityTag,
  response: keyRequestDetail,
  errors: [...bodyErrors, ...declinedErrors],
  example: { reason: "Please use the plan for partners." },
  async serve(ctx: CatalogueContext, call) {
    const { id } = call.params;
    await setReason(ctx, id, call.body.reason, carriedBy(call));
    return await changedV1(ctx, id);
  },
});

/** How many there are. */
export const countKeyRequests = operation({
  id: "countKeyRequests",
  method: "GET",
  path: "/v1/key-requests/counts",
  tag,
  summary: "Count key requests by state",
  description: "How many are pending, issued and declined, without reading the lists.",
  permission: ["portal:read"],
  withinTemporaryAccess: true,
  withinScope: true,
  response: z.strictObject({
    pending: z.int(),
    issued: z.int(),
    declined: z.int(),
    all: z.int(),
  }).meta({ id: "KeyRequestCounts" }),
  errors: [],
  serve: (ctx: CatalogueContext) => countV1(ctx),
});

/** The answer of an approval was lost. */
export const reissueKeyEndpoint = operation({
  id: "reissueKey",
  method: "POST",
  path: "/v1/key-requests/{id}/reissue",
  tag: "Keys",
  summary: "Mint a request's key anew, where the answer of its approval was lost; the old one dies",
  description:
    "Only for a request that was approved and whose key is active. `deliver` says whether the key is in the answer or behind a one-time link. With `Idempotency-Key` a repeat gets the first answer again.",
  permission: ["approve"],
  withinScope: true,
  query: z.object({ deliver }),
  body: "ignored",
  idempotent: true,
  response: replacement,
  errors: [
    "not_found",
    "not_issued",
    "key_revoked",
    "key_suspended",
    "key_expired",
    "key_rotated",
    "key_damaged",
    "unknown_plan",
    "body_too_large",
    "body_timeout",
  ],
  async serve(ctx: CatalogueContext, call) {
    const { params: { id: request_id }, query: { deliver = "answer" }, idempotency } = call;
    const input = { ...mintOf(ctx, deliver, idempotency), request_id };
    return toReplacement(ctx, await ctx.storage.commit(reissueKey, input));
  },
});

/** Lists the approvals that a leaving person would leave open. */
export const listApprovalsOfPerson = operation({
  id: "listApprovalsOfPerson",
  method: "GET",
  path: "/v1/people/{id}/approvals",
  tag: "People",
  summary: "List the approval policies and key requests that need this person",
  description:
    "Policies that could not be fulfilled without them, and key requests that could not be decided: check them before you deactivate or suspend these people or reduce their permissions.",
  permission: ["admin:read"],
  response: leftOpen,
  errors: ["not_found"],
  async serve({ storage: { reader }, principal, clock }: CatalogueContext, { params }) {
    const { org_id } = principal;
    return await approvalsNeeding(reader, { org_id, id: params.id, now: clock.now() });
  },
});

/**
 * The delivery by body and query. Throws `invalid_input` if they differ: one of them would show a
 * key by a slip.
 */
function deliveryOf(inBody: Delivery | undefined, inQuery: Delivery | undefined): Delivery {
  if (inBody !== undefined && inQuery !== undefined && inBody !== inQuery) {
    const message = "deliver: expected the same as in the query";
    throw new Failure("invalid_input", { message, details: [message] });
  }
  return inBody ?? inQuery ?? "answer";
}

/** As the older interface asks. Throws `invalid_input` where no plan is named. */
function askedFor({ plans, remove_plans, ...others }: z.output<typeof newKeyRequest>) {
  if (!others.for_plan && !plans?.length) {
    const message = "for_plan: required, or plans";
    throw new Failure("invalid_input", { message, details: [message] });
  }
  return { ...others, apply_policies: plans, remove_policies: remove_plans };
}

/** Says why a request was declined; an empty text takes the reason away. */
async function setReason(
  ctx: RequestContext,
  id: string,
  reason: string,
  call: DecisionCall,
): Promise<void> {
  const input = inputOf(ctx, id, call);
  await ctx.storage.commit(changeReason, { ...input, reason: reason || null });
}

type List = z.output<typeof v1KeyRequestList>;

/**
 * All key requests that match, as a CSV file. No member that is sealed is in it. Throws
 * `invalid_input` as the list does.
 */
async function exportRequests(
  ctx: CatalogueContext,
  query: Omit<z.output<typeof exportQuery>, "bom">,
): Promise<Answer<Pieces>> {
  const file = await csvFile("key-requests.csv", columns, async (cursor) => {
    const { text } = await listV1(ctx, { ...query, cursor, limit: 100 });
    // as: listV1 answers by this contract.
    return JSON.parse(text) as List;
  });
  await recordExport(ctx, "key_requests", detailOf(requestFilters, query));
  return file;
}

const columns: Columns<List["data"][number]> = {
  id: ({ id }) => id,
  state: ({ state }) => state,
  date_created: ({ date_created }) => date_created,
  decided_at: ({ decided_at }) => decided_at,
  decided_by: ({ decided_by }) => decided_by,
  decided_by_name: ({ decided_by_name }) => decided_by_name,
  reason: ({ reason }) => reason,
  developer_id: ({ by_user }) => by_user,
  developer_email: ({ portal_developer }) => portal_developer.email,
  for_plan: ({ for_plan }) => for_plan,
  plans: ({ plans }) => plans.join("; "),
  catalogue_entry: ({ catalogue_entry }) => catalogue_entry.name,
  auth_type: ({ catalogue_entry }) => catalogue_entry.auth_type ?? "",
  fields: ({ fields }) => JSON.stringify(fields),
};
