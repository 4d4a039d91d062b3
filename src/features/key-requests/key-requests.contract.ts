import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { envelope, pageNumber } from "../../contract/envelope.ts";
import { provisionedHeader, waitQuery } from "../../contract/provisioned.ts";
import { entityTag, ifMatch } from "../../contract/v1.ts";
import { id, idOrEmpty, text, timestamp } from "../../contract/values.ts";
import { catalogueEntry } from "../plans/catalogue/catalogue.contract.ts";
import { approval } from "../keys/credentials.contract.ts";
import { developer } from "../developers/developers.contract.ts";
import { ownErrors } from "./decision.contract.ts";
import { fullKeyRequest } from "./key-requests.example.ts";

const oauthInfo = { redirect_uri: text };

/**
 * Specification 2.3 as a client sends it. Everything may be absent here; what a request needs at
 * the least (who asks, and one plan) is a rule of draft-key-request.ts, because it can come from
 * several members.
 */
export const keyRequestInput = z.object({
  key: z.string().max(1024).optional(),
  for_api: idOrEmpty.optional(),
  for_plan: idOrEmpty.optional(),
  apply_policies: z.array(id).optional(),
  remove_policies: z.array(id).optional(),
  by_user: idOrEmpty.optional(),
  fields: z.record(z.string(), z.string()).optional(),
  approved: z.boolean().optional(),
  date_created: timestamp.optional(),
  version: z.string().max(255).optional(),
  jwt_secret: text.optional(),
  certificate: text.optional(),
  oauth_info: z.object({ redirect_uri: text.optional() }).optional(),
  portal_developer: developer.input.optional(),
  catalogue_entry: catalogueEntry.input.optional(),
  // Each entry fills up to about 900 bytes when shown, however little was sent.
  catalogues: z.array(catalogueEntry.input).max(100).optional(),
}).meta({ id: "KeyRequestInput" });

/** Specification 2.3 as it is shown. */
export const keyRequest = z.strictObject({
  id,
  key: text,
  org_id: text,
  for_api: text,
  for_plan: text,
  apply_policies: z.array(text),
  remove_policies: z.array(text),
  by_user: text,
  fields: z.record(z.string(), z.string()),
  approved: z.boolean(),
  date_created: timestamp,
  version: text,
  jwt_secret: text,
  certificate: text,
  oauth_info: z.strictObject(oauthInfo).optional(),
  portal_developer: developer.output,
  catalogue_entry: catalogueEntry.output,
  catalogues: z.array(catalogueEntry.output),
}).meta({ id: "KeyRequest" });

/** Specification 2.8. */
export const keyRequestList = z.strictObject({
  Data: z.array(keyRequest),
  Pages: z.int(),
}).meta({ id: "KeyRequestList" });

const flag = (meaning: string) =>
  z.enum(["true", "false"], { error: "expected true or false" })
    .transform((value) => value === "true").optional().meta({ description: meaning });

const tag = "Key requests";

/** Specification 4.2. */
export const listKeyRequests = defineEndpoint({
  id: "listKeyRequests",
  method: "GET",
  path: "/api/portal/requests",
  tag,
  summary: "List key requests, newest first",
  description:
    "Without `p` all of them are sent as a stream; with `p` from 1 on, that page. Declined ones are left out unless `declined=true`.",
  permission: ["portal:read"],
  withinScope: true,
  query: z.object({
    p: pageNumber.meta({ description: "Page from 1; absent or below 1: everything, streamed." }),
    approved: flag("Only requests with this value of `approved`."),
    declined: flag("true: the declined requests, which no other list shows."),
  }),
  showsSecrets: "to those who may",
  response: keyRequestList,
  errors: ["invalid_input"],
});

/**
 * Specification 4.3. The entity tag is what a conditional approval goes by; the text is the
 * specification's.
 */
export const getKeyRequest = defineEndpoint({
  id: "getKeyRequest",
  method: "GET",
  path: "/api/portal/requests/{id}",
  tag,
  summary: "Read one key request, with its ETag",
  description:
    "The request with its developer and catalogue entries as they are now. A declined one is not found.",
  permission: ["portal:read"],
  withinScope: true,
  answerHeaders: entityTag,
  showsSecrets: "to those who may",
  response: keyRequest,
  errors: ["not_found"],
});

/** The failures of what creates or replaces a key request. */
export const draftErrors = [
  ...bodyErrors,
  "unknown_plan",
  "unknown_developer",
  "inactive_plan",
  "email_taken",
  "sso_key_taken",
  "keyless_plan",
  "mixed_auth_types",
  "too_many_pending",
  "key_request_too_large",
] as const;

/** Specification 4.4. */
export const createKeyRequest = defineEndpoint({
  id: "createKeyRequest",
  method: "POST",
  path: "/api/portal/requests",
  tag,
  summary: "Create a key request",
  description:
    "A developer, by `by_user`, asks for a plan, by `for_plan`. The message of the answer is the request's id. Nothing is issued: approving does that.",
  permission: ["portal:write"],
  body: keyRequestInput,
  idempotent: true,
  response: envelope,
  errors: draftErrors,
  example: fullKeyRequest,
});

/** Specification 4.5; PUT does the same. */
export const updateKeyRequest = defineEndpoint({
  id: "updateKeyRequest",
  method: "UPDATE",
  aliases: ["PUT"],
  overridable: true,
  path: "/api/portal/requests/{id}",
  tag,
  summary: "Replace a key request",
  description:
    "Replaces the whole request; members that are left out fall back to their defaults, except `version` and `date_created`. Once a key was issued, plan, developer and `key` stay as they are.",
  permission: ["portal:write"],
  body: keyRequestInput,
  response: envelope,
  errors: [...draftErrors, "not_found", "already_issued"],
  example: fullKeyRequest,
});

/** Specification 4.6. */
export const deleteKeyRequest = defineEndpoint({
  id: "deleteKeyRequest",
  method: "DELETE",
  path: "/api/portal/requests/{id}",
  tag,
  summary: "Delete a key request; a credential already issued lives on",
  description: "Works in any state. To end a key, revoke it.",
  permission: ["portal:write"],
  response: envelope,
  errors: ["not_found_for_deletion"],
});

/** Specification 4.7. */
export const approveKeyRequest = defineEndpoint({
  id: "approveKeyRequest",
  method: "PUT",
  path: "/api/portal/requests/approve/{id}",
  tag,
  summary: "Approve a key request once and receive its credential",
  // portal:write is enough where every plan of the request is approved automatically; the service
  // decides.
  description:
    "Issues the key in the plan's form and gives it in the answer, the only time that it is shown. Exactly one approval of a request succeeds; a body is ignored. With `Idempotency-Key` a repeat gets the first answer again.",
  permission: ["approve", "portal:write"],
  withinScope: true,
  query: z.object(waitQuery),
  body: "ignored",
  headers: ifMatch,
  answerHeaders: provisionedHeader,
  idempotent: true,
  response: approval,
  errors: [
    "invalid_input",
    "not_found",
    "already_processed",
    ...ownErrors,
    "not_among_approvers",
    "steps_missing",
    "keyless_plan",
    "mixed_auth_types",
    "unknown_key",
    "precondition_failed",
    "body_too_large",
    "body_timeout",
  ],
});
