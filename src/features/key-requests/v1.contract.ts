import { z } from "zod";
import { claimLink, deliver } from "../../contract/claim-link.ts";
import { someKeyLabels } from "../../contract/labels.ts";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { exampleIds } from "../../contract/example-ids.ts";
import { filterSchemas } from "../../contract/filter-schemas.ts";
import { requestFilters } from "../../contract/list-filters.ts";
import {
  attachment,
  direction,
  entityTag,
  ifMatch,
  nextPageLink,
  nullable,
  pageQuery,
} from "../../contract/v1.ts";
import { provisionedHeader, waitQuery } from "../../contract/provisioned.ts";
import { bom, id, text, timestamp } from "../../contract/values.ts";
import { emailState } from "../developers/developers.contract.ts";
import { granted, grantInput } from "../keys/conditions.contract.ts";
import { approval, chosenEnd } from "../keys/credentials.contract.ts";
import {
  addedWords,
  decidedOn,
  offered,
  ownErrors,
  reason,
  toDeveloper,
} from "./decision.contract.ts";
import { shownPolicy } from "./asked-policy.contract.ts";
import { draftErrors, keyRequest, keyRequestInput } from "./key-requests.contract.ts";

const states = requestFilters.state.of;

const { apply_policies, remove_policies, ...shared } = keyRequest.shape;

/** A key request with what was decided. Members that are sealed read "". */
export const v1KeyRequest = z.strictObject({
  ...shared,
  plans: apply_policies.meta({ description: "The plans that are asked for." }),
  remove_plans: remove_policies.meta({ description: "Those that a changed key is to lose." }),
  state: z.enum(states),
  decided_at: nullable(timestamp),
  decided_by: nullable(text),
  decided_by_name: nullable(text),
  reason: nullable(text).meta({
    description: "Why: of an approval for those who approve alone, of a decline for its developer.",
  }),
  message: nullable(text).meta({
    description: "What was said to the developer with the approval; null: nothing.",
  }),
  asked_end: nullable(timestamp).meta({
    description:
      "Until when its developer asks that the key in `key` lives, which an approval then gives it; null: it asks for no later end.",
  }),
  assignee: nullable(z.strictObject({ id: text, name: text })).meta({
    description:
      "Who of the team looks after it while it waits; null: nobody. It changes nothing of `revision`.",
  }),
  granted: nullable(granted).meta({
    description: "What its key was granted on; null: what was asked, or nothing yet.",
  }),
  offer: nullable(offered).meta({
    description: "What was offered instead of what is asked; null: nothing, or it is no more.",
  }),
  approval: nullable(shownPolicy).meta({
    description:
      "The policy under which it was asked, and who has approved; null: whoever may approve decides.",
  }),
  expires_at: nullable(timestamp).meta({
    description:
      "When it is declined by itself, unless somebody decides before; null: it waits for as long as it takes, is decided, or an offer waits.",
  }),
  developer_email_state: emailState,
  developer_email_changed_at: nullable(timestamp).meta({
    description: "When the developer's address became what it is; null: they always had it.",
  }),
  revision: text.meta({ description: "What `ETag` and `If-Match` hold, without the quotes." }),
}).meta({ id: "NativeKeyRequest" });

/** One key request, with its developer's others. */
export const keyRequestDetail = z.strictObject({
  ...v1KeyRequest.shape,
  other_requests: z.array(z.strictObject({
    id,
    state: z.enum(states),
    for_plan: text,
    date_created: timestamp,
  })).meta({ description: "The developer's newest other requests, 20 at the most." }),
  more_requests: z.boolean().meta({ description: "Whether the developer has still others." }),
  decided_on: nullable(decidedOn).meta({
    description:
      "What was known as it was decided; null: it waits, or a server of an earlier release decided.",
  }),
  may_approve: z.array(z.strictObject({ id: text, name: text })).meta({
    description:
      "Who may give the present step of its policy, 50 at the most; empty where it has no steps.",
  }),
  added_words: z.array(addedWords).meta({
    description:
      "What its developer added while it waited, the oldest first; it changes nothing of `revision`.",
  }),
  reminded_at: nullable(timestamp).meta({
    description: "When its developer last reminded approvers of it; null: never.",
  }),
}).meta({ id: "KeyRequestDetail" });

/** A page of key requests. `next_cursor` null: there are no more. */
export const v1KeyRequestList = z.strictObject({
  data: z.array(v1KeyRequest),
  next_cursor: nullable(text),
  incomplete: z.literal(true).optional().meta({
    description: "There only where a search may lack what was asked or changed just now.",
  }),
}).meta({ id: "NativeKeyRequestList" });

/** What an approval left: the credential this once, its link, or neither for a changed key. */
export const v1Approval = z.strictObject({
  id,
  state: z.enum(["issued", "pending"]).meta({
    description: "Pending: the approval was a step, and others must approve before there is a key.",
  }),
  key_id: text.meta({ description: "Empty where there is no key yet." }),
  mask: text,
  expires_at: nullable(timestamp).meta({ description: "When the key ends; null: it does not." }),
  credential: nullable(approval),
  claim: nullable(claimLink),
  missing: text.optional().meta({
    description:
      "There only where it was a step: who must approve still, in words; empty: nobody, an offer waits for the developer.",
  }),
}).meta({ id: "NativeApproval" });

const tag = "Key requests (native)";

const { state, waits_for, ...narrowing } = filterSchemas(requestFilters);

/** What a list is narrowed by. */
export const listQuery = z.object({
  ...pageQuery,
  state,
  waits_for,
  ...narrowing,
  sort: z.enum(["newest", "oldest", "decided_at"], {
    error: "expected newest or oldest or decided_at",
  }).optional().meta({
    description:
      "`newest`, by date_created, by default. `decided_at` goes with the states `issued` and `declined`, and with no other filter.",
  }),
  direction: direction.meta({
    description: "Which way `decided_at` goes; `asc` by default.",
  }),
});

/** What an export is narrowed by. */
export const exportQuery = listQuery.omit({ limit: true, cursor: true }).extend({ bom });

/** Key requests in every state. */
export const listNativeKeyRequests = defineEndpoint({
  id: "listNativeKeyRequests",
  method: "GET",
  path: "/v1/key-requests",
  tag,
  summary: "List and search key requests; a page may hold fewer than `limit` and still have a next",
  description: "By cursor, with filters by state, plan, API, developer and time, and a search.",
  permission: ["portal:read"],
  withinElevation: true,
  withinScope: true,
  query: listQuery,
  answerHeaders: nextPageLink,
  response: v1KeyRequestList,
  errors: ["invalid_input"],
});

/** All key requests that match, as a file. */
export const exportKeyRequests = defineEndpoint({
  id: "exportKeyRequests",
  isExport: true,
  method: "GET",
  path: "/v1/key-requests/export",
  tag,
  summary: "Export all key requests that match as CSV; never a secret",
  description: "Streamed, with the filters of the list. The trail tells of it first.",
  permission: ["portal:read"],
  withinScope: true,
  query: exportQuery,
  answerHeaders: attachment,
  response: z.string(),
  contentTypes: { response: ["text/csv"] },
  errors: ["invalid_input"],
});

/** A key request as somebody asks for it here: who, for which plans, and what they answered. */
export const newKeyRequest = keyRequestInput.pick({
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
export const createNativeKeyRequest = defineEndpoint({
  id: "createNativeKeyRequest",
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
});

/** One key request in any state. */
export const getNativeKeyRequest = defineEndpoint({
  id: "getNativeKeyRequest",
  method: "GET",
  path: "/v1/key-requests/{id}",
  tag,
  summary: "Read one key request in any state, with its ETag",
  description:
    "With the developer's other requests, how it was decided, and the revision for `If-Match`.",
  permission: ["portal:read"],
  withinElevation: true,
  withinScope: true,
  answerHeaders: entityTag,
  response: keyRequestDetail,
  errors: ["not_found"],
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
export const approveNativeKeyRequest = defineEndpoint({
  id: "approveNativeKeyRequest",
  method: "POST",
  path: "/v1/key-requests/{id}/approve",
  tag,
  summary: "Approve a key request once, and receive its credential or a claim link for it",
  description:
    "`deliver` says whether the key stands in the answer or behind a link that opens once. `If-Match` refuses what has changed since it was read.",
  permission: ["approve"],
  withinElevation: true,
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
  example: { deliver: "claim", reason: "Agreed with their team lead." },
});

/** Declines. */
export const declineKeyRequest = defineEndpoint({
  id: "declineKeyRequest",
  method: "POST",
  path: "/v1/key-requests/{id}/decline",
  tag,
  summary: "Decline a pending key request, with a reason if there is one",
  description:
    "A declined request issues nothing and is hidden from the older interface. The developer may be told the reason.",
  permission: ["approve"],
  withinElevation: true,
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
});

const declinedErrors = [
  "not_found",
  "deleted_meanwhile",
  "not_declined",
  "precondition_failed",
] as const;

/** Takes a decline back. */
export const reopenKeyRequest = defineEndpoint({
  id: "reopenKeyRequest",
  method: "POST",
  path: "/v1/key-requests/{id}/reopen",
  tag,
  summary: "Take a decline back: the key request is pending again",
  description: "Only a declined request can be reopened, to be decided again.",
  permission: ["approve"],
  withinElevation: true,
  withinScope: true,
  body: "ignored",
  headers: ifMatch,
  idempotent: true,
  answerHeaders: entityTag,
  response: keyRequestDetail,
  errors: [...declinedErrors, ...ownErrors, "body_too_large", "body_timeout"],
});

/** The reason of a decline. */
export const setDeclineReason = defineEndpoint({
  id: "setDeclineReason",
  method: "PUT",
  path: "/v1/key-requests/{id}/reason",
  tag,
  summary: "Add or change why a key request was declined; an empty text takes the reason away",
  description: "The decision itself stays as it is.",
  permission: ["approve"],
  withinElevation: true,
  withinScope: true,
  body: z.object({ reason }).meta({ id: "DeclineReasonInput" }),
  headers: ifMatch,
  answerHeaders: entityTag,
  response: keyRequestDetail,
  errors: [...bodyErrors, ...declinedErrors],
  example: { reason: "Please use the plan for partners." },
});
