import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { deliver } from "../../contract/claim-link.ts";
import { exampleKey } from "../../contract/example-ids.ts";
import { gatewayTroubles } from "../../contract/gateway-states.ts";
import { leaked } from "../../contract/leak.ts";
import { filterSchemas } from "../../contract/filter-schemas.ts";
import { keyFilters } from "../../contract/list-filters.ts";
import { keyLabels, someKeyLabels } from "../../contract/labels.ts";
import {
  attachment,
  direction,
  entityTag,
  ifMatch,
  nextPageLink,
  pageQuery,
} from "../../contract/v1.ts";
import { bom, id, text, timestamp } from "../../contract/values.ts";
import { denied } from "./denied.contract.ts";
import { keyConditions } from "./conditions.contract.ts";
import { chosenEnd, replacement } from "./credentials.contract.ts";

const nullable = <T extends z.ZodType>(schema: T) => z.union([schema, z.null()]);

const states = keyFilters.state.of;

/** A key as it is shown: never the key itself. */
export const key = z.strictObject({
  key_id: text,
  mask: text,
  kind: z.enum(["token", "basic", "oauth"]),
  state: z.enum(states),
  denied,
  plans: z.array(text),
  developer_id: text,
  developer_email: text.meta({ description: "In lower case; empty where nobody is registered." }),
  developer_name: text.meta({
    description: "The field `name` of the developer; empty where there is none.",
  }),
  key_request_id: nullable(text).meta({
    description: "The key request that it was issued for; null: it came without one.",
  }),
  request_id: nullable(text).meta({
    description:
      "The older name of `key_request_id`, for this release alone. It is no id of a call, which `request_id` is elsewhere.",
    deprecated: true,
  }),
  created: timestamp,
  expires_at: nullable(timestamp),
  last_used_at: nullable(timestamp),
  state_changed_at: nullable(timestamp),
  reason: nullable(text),
  replaced_by: nullable(text),
  undo: nullable(z.strictObject({
    until: timestamp,
    ended_by: text.meta({ description: "The person whose access token ended it." }),
    with_developer: z.boolean().meta({
      description: "True: it comes back with its deleted developer, and not by itself.",
    }),
  })).meta({
    description:
      "Until when somebody with `approve` can bring a revoked key back; null: it is not revoked, or for good.",
  }),
  conditions: nullable(keyConditions).meta({
    description: "What it was granted on besides its plans and its end; null: on nothing.",
  }),
  algorithm: z.enum(["sha256", "murmur64", "murmur128"]),
  use_before: nullable(timestamp),
  imported_as: nullable(text).meta({ description: "The id that it had until its first use." }),
  leaked,
  at_gateways: z.array(
    z.strictObject({
      gateway_id: text,
      gateway: text.meta({ description: "Its name." }),
      state: z.enum(gatewayTroubles).meta({
        description:
          "`late`: it waits for over a minute. `closing`: it was revoked or suspended there at `since`, and may open until `may_open_until`.",
      }),
      since: timestamp,
      opens: z.boolean().meta({
        description: "Whether it opens there meanwhile, or may, as it was brought there before.",
      }),
      may_open_until: nullable(timestamp).meta({
        description:
          "Of one that is closing; null: as long as calls with it go on, or it was not ended there.",
      }),
    }).meta({ id: "KeyNotThere" }),
  ).meta({
    description:
      "Gateways that hold keys of their own and at which this one is not as it should be; empty: it is so at all of them. An active key is not there yet where one of them has `opens` false.",
  }),
  name: text.meta({ description: "What people call it; empty: nobody said." }),
  environment: text.meta({ description: "Where it is used, such as production; may be empty." }),
  note: text.meta({
    description:
      "For administrators, and never for developers; empty for callers with neither `approve` nor `admin`.",
  }),
  tags: z.array(text),
  revision: text.meta({ description: "What `ETag` and `If-Match` hold, without the quotes." }),
}).meta({ id: "Key" });

/** A page of keys. `next_cursor` null: there are no more. */
const keyList = z.strictObject({
  data: z.array(key),
  next_cursor: nullable(text),
  incomplete: z.literal(true).optional().meta({
    description: "There only where developers wait whom `q` does not know yet. Ask again.",
  }),
}).meta({ id: "KeyList" });

/** What keys are filed under. */
export const labelsInUse = z.strictObject({
  environments: z.array(text),
  tags: z.array(text),
}).meta({ id: "KeyLabelsInUse" });

/** Why a key's state is changed: for the audit trail and for those who look at the key. */
export const reason = z.string().trim().min(1).max(500);

const tag = "Keys";
const seen = { tag, withinScope: true } as const;

/** What a list is narrowed by. */
export const listQuery = z.object({
  limit: pageQuery.limit.meta({ description: "Keys on a page, 1 to 100; 20 by default." }),
  cursor: z.string().max(1024).optional()
    .meta({ description: "`next_cursor` of the page before." }),
  ...filterSchemas(keyFilters),
  sort: z.enum(["created", "expires_at"], { error: "expected created or expires_at" }).optional()
    .meta({
      description:
        "Newest first by default. Keys without an end come after all others. Goes with no filter but `state`, and not with `expired`.",
    }),
  direction,
});

/** What an export is narrowed by. */
export const exportQuery = listQuery.omit({ limit: true, cursor: true }).extend({ bom });

/** Keys of the organisation, newest first. */
export const listKeys = defineEndpoint({
  id: "listKeys",
  method: "GET",
  path: "/v1/keys",
  ...seen,
  summary: "List keys, newest first; a page may hold fewer than `limit` and still have a next one",
  description:
    "By cursor, with filters by state, plan, developer, environment and tag, and a search. Of a key only its id and a mask are shown, never the key.",
  permission: ["portal:read"],
  withinElevation: true,
  query: listQuery,
  answerHeaders: nextPageLink,
  response: keyList,
  errors: ["invalid_input"],
});

/** All keys that match, as a file. */
export const exportKeys = defineEndpoint({
  id: "exportKeys",
  isExport: true,
  method: "GET",
  path: "/v1/keys/export",
  ...seen,
  summary: "Export all keys that match as CSV; never the key itself",
  description: "Streamed, with the filters of the list. The trail tells of it first.",
  permission: ["portal:read"],
  query: exportQuery,
  answerHeaders: attachment,
  response: z.string(),
  contentTypes: { response: ["text/csv"] },
  errors: ["invalid_input"],
});

/** What the organisation files its keys under. */
export const listKeyLabels = defineEndpoint({
  id: "listKeyLabels",
  method: "GET",
  path: "/v1/keys/labels",
  ...seen,
  summary: "List the environments and tags that keys have, to choose from",
  description: "The first hundred of each, in the order of their letters.",
  permission: ["portal:read"],
  response: labelsInUse,
  errors: [],
});

/** One key by its id. */
export const getKey = defineEndpoint({
  id: "getKey",
  method: "GET",
  path: "/v1/keys/{key_id}",
  ...seen,
  summary: "Read one key by its id, the SHA-256 of the key, with its ETag",
  description: "State, plans, developer, labels, end and last use; never the key itself.",
  permission: ["portal:read"],
  withinElevation: true,
  answerHeaders: entityTag,
  response: key,
  errors: ["not_found"],
});

/** One key by itself; in a body, so that it stands in no URL. */
export const findKeyEndpoint = defineEndpoint({
  id: "findKey",
  method: "POST",
  path: "/v1/keys/find",
  ...seen,
  summary: "Find a key by the plain key, user name or client_id",
  description: "It stands in the body, so that no log holds it. Imported keys are found too.",
  permission: ["portal:read"],
  withinElevation: true,
  body: z.object({ key: z.string().min(1).max(4096) }).meta({ id: "FindKeyInput" }),
  response: key,
  errors: [...bodyErrors, "not_found"],
  example: { key: exampleKey },
});

/** What changes of a key's state are called with. */
export const stateBody = z.object({ reason }).meta({ id: "KeyStateInput" });

/** The key opens nothing any more. */
export const revokeKey = defineEndpoint({
  id: "revokeKey",
  method: "POST",
  path: "/v1/keys/{key_id}/revoke",
  ...seen,
  summary: "Revoke a key",
  description:
    "Verification refuses it within a second. With `approve` it is for good. Without it, by `revoke` alone, somebody with `approve` can bring the key back for 7 days, which `undo` says; and the access tokens of one person end no more than 50 keys an hour (a setting), then 429 with `Retry-After`.",
  permission: ["revoke"],
  withinElevation: true,
  body: stateBody,
  idempotent: true,
  response: key,
  errors: [...bodyErrors, "not_found", "key_revoked", "too_many_revoked"],
  example: { reason: "Found in a public repository" },
});

/** The key opens again what it did. */
export const restoreKey = defineEndpoint({
  id: "restoreKey",
  method: "POST",
  path: "/v1/keys/{key_id}/restore",
  ...seen,
  summary: "Bring back a key that was revoked without `approve`, for 7 days",
  description:
    "It is again what it was, active or suspended, and stands in its developer's maps again; a subscription that another key has taken stays with that one. A key that went with its developer comes back with them.",
  permission: ["approve"],
  body: stateBody,
  idempotent: true,
  response: key,
  errors: [...bodyErrors, "not_found", "key_revoked", "key_not_revoked", "developer_deleted"],
  example: { reason: "Ended by mistake" },
});

/** A fresh key takes over. */
export const rotateKeyEndpoint = defineEndpoint({
  id: "rotateKey",
  method: "POST",
  path: "/v1/keys/{key_id}/rotate",
  ...seen,
  summary: "Replace a key by a fresh one, shown once; the old one lives on for the overlap",
  description:
    "Both open the same until the overlap ends, and their quotas are one count. The end that was granted stays: a rotation begins the life of each key anew, and no access. With `Idempotency-Key` a repeat gets the first answer again.",
  permission: ["approve"],
  body: z.object({
    overlap_seconds: z.int().min(0).max(30 * 24 * 60 * 60)
      .meta({ description: "How long the old key lives on, up to 30 days." }),
    deliver,
    expires_at: timestamp.optional().meta({
      description:
        "When the fresh key ends, in the future; absent: as `GET /v1/keys/{key_id}/expiry` says of a rotation.",
    }),
  }).meta({ id: "RotateKeyInput" }),
  idempotent: true,
  response: replacement,
  errors: [
    ...bodyErrors,
    "not_found",
    "key_revoked",
    "key_suspended",
    "key_expired",
    "key_rotated",
    "key_damaged",
    "unknown_plan",
  ],
  example: { overlap_seconds: 86400 },
});

/** Without a request. */
export const issueKeyEndpoint = defineEndpoint({
  id: "issueKey",
  method: "POST",
  path: "/v1/developers/{id}/keys",
  tag,
  summary: "Issue a key to a developer without a key request, shown once",
  description: "With `Idempotency-Key` a repeat gets the first answer again.",
  permission: ["approve"],
  body: z.object({
    plans: z.array(id).min(1).max(100),
    deliver,
    expires_at: chosenEnd,
    reason: reason.optional().meta({ description: "Why, for the trail: `credential.issued`." }),
    ...someKeyLabels,
  }).meta({ id: "IssueKeyInput" }),
  idempotent: true,
  response: replacement,
  errors: [
    ...bodyErrors,
    "not_found",
    "unknown_plan",
    "keyless_plan",
    "filed_by_you",
    "mixed_auth_types",
  ],
  example: { plans: ["5f1a2b3c4d5e6f7081920002"] },
});

/** The key's plans. */
export const setKeyPlans = defineEndpoint({
  id: "setKeyPlans",
  method: "PUT",
  path: "/v1/keys/{key_id}/plans",
  ...seen,
  summary: "Give a key these plans instead of its own",
  description:
    "The key itself stays the same; what it opens follows within a second. Its end follows its plans, from now on, unless a person chose it or it is over.",
  permission: ["approve"],
  body: z.object({
    plans: z.array(id).min(1).max(100),
    expires_at: timestamp.optional().meta({
      description: "When the key ends, in the future, as chosen; absent: see above.",
    }),
  }).meta({ id: "KeyPlansInput" }),
  response: key,
  errors: [
    ...bodyErrors,
    "not_found",
    "key_revoked",
    "unknown_plan",
    "keyless_plan",
    "filed_by_you",
    "mixed_auth_types",
    "wrong_auth_type",
  ],
  example: { plans: ["5f1a2b3c4d5e6f7081920002"] },
});

/** What the key is called and filed under. */
export const setKeyLabels = defineEndpoint({
  id: "setKeyLabels",
  method: "PUT",
  path: "/v1/keys/{key_id}/labels",
  ...seen,
  summary: "Set a key's name, environment, note and tags",
  description:
    "All four are replaced; an absent one is emptied. `If-Match` refuses the change where the key has changed since it was read. What it opens stays as it is.",
  permission: ["approve"],
  headers: ifMatch,
  // A misspelt member would empty what it meant.
  body: z.strictObject({
    name: keyLabels.name.default(""),
    environment: keyLabels.environment.default(""),
    note: keyLabels.note.default(""),
    tags: keyLabels.tags.default([]),
  }).meta({ id: "KeyLabelsInput" }),
  answerHeaders: entityTag,
  response: key,
  errors: [...bodyErrors, "not_found", "precondition_failed"],
  example: { name: "Checkout, live", environment: "production", tags: ["payments"] },
});
