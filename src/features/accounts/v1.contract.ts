import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { pageOf } from "../../contract/paging.ts";
import {
  attachment,
  direction,
  entityTag,
  ifMatch,
  nextPageLink,
  nullable,
  pageQuery,
} from "../../contract/v1.ts";
import { filterSchemas } from "../../contract/filter-schemas.ts";
import { developerFilters } from "../../contract/list-filters.ts";
import { tags } from "../../contract/labels.ts";
import { emailState } from "../developers/developers.contract.ts";
import { bom, freeForm, id, text, timestamp } from "../../contract/values.ts";

const tag = "Developers (native)";

const counted = z.int().min(0).max(1000);

const members = {
  id: text,
  email: text,
  email_state: emailState,
  email_changed_at: nullable(timestamp)
    .meta({ description: "When the address became what it is; null: they always had it." }),
  inactive: z.boolean().meta({ description: "True: the portal does not let them sign in." }),
  fields: freeForm,
  date_created: timestamp,
  last_login_date: nullable(timestamp),
  has_password: z.boolean(),
  tags: z.array(text).meta({ description: "What they are filed under; no developer sees it." }),
  requests: counted.meta({ description: "Key requests in any state; 1000: so many or more." }),
  keys: counted.meta({ description: "Keys that are not revoked; 1000: so many or more." }),
};

/** A developer with what they have; none of their secrets. */
export const v1Developer = z.strictObject(members).meta({ id: "NativeDeveloper" });

/** One developer, with the key for each plan. */
export const developerDetail = z.strictObject({
  ...members,
  suspended_keys: counted.meta({
    description:
      "Keys that were suspended as the developer was deactivated, and are so still; 1000: so many or more. Reactivating with `keys: resume` resumes them.",
  }),
  has_former_keys: z.boolean().meta({
    description:
      "True: the developer was registered under an id that had keys, and confirming the address gives them those.",
  }),
  confirmation_asks: z.boolean().meta({
    description: "True: confirming the address has to say whose the account is with it.",
  }),
  subscriptions: z.record(z.string(), text).meta({ description: "The newest key for each plan." }),
  revision: text.meta({ description: "What `ETag` and `If-Match` hold, without the quotes." }),
}).meta({ id: "DeveloperDetail" });

/** A page of developers. */
export const v1DeveloperList = z.strictObject({
  ...pageOf(v1Developer).shape,
  incomplete: z.literal(true).optional().meta({
    description: "There only where a search may lack what was registered or changed just now.",
  }),
}).meta({ id: "NativeDeveloperList" });

/** What a list is narrowed by. */
export const listQuery = z.object({
  ...pageQuery,
  ...filterSchemas(developerFilters),
  sort: z.enum(["newest", "oldest", "email"], { error: "expected newest or oldest or email" })
    .optional().meta({
      description:
        "`newest`, by date_created, by default; who has no `email` comes first by it. With `q` by the words found.",
    }),
  direction: direction.meta({ description: "Which way `email` goes; `asc` by default." }),
});

/** What an export is narrowed by. */
export const exportQuery = listQuery.omit({ limit: true, cursor: true }).extend({ bom });

const email = z.string().max(320);

/** Developers by cursor. */
export const listNativeDevelopers = defineEndpoint({
  id: "listNativeDevelopers",
  method: "GET",
  path: "/v1/developers",
  tag,
  summary: "List and search developers with the number of their requests and keys",
  description: "By cursor, newest first, with a search by the beginnings of words.",
  permission: ["portal:read"],
  withinScope: true,
  withinElevation: true,
  query: listQuery,
  answerHeaders: nextPageLink,
  response: v1DeveloperList,
  errors: ["invalid_input"],
});

/** All developers that match, as a file. */
export const exportDevelopers = defineEndpoint({
  id: "exportDevelopers",
  isExport: true,
  method: "GET",
  path: "/v1/developers/export",
  tag,
  summary: "Export all developers that match as CSV; none of their secrets",
  description: "Streamed, with the filters of the list. The trail tells of it first.",
  permission: ["portal:read"],
  withinScope: true,
  query: exportQuery,
  answerHeaders: attachment,
  response: z.string(),
  contentTypes: { response: ["text/csv"] },
  errors: ["invalid_input"],
});

/** One developer. */
export const getNativeDeveloper = defineEndpoint({
  id: "getNativeDeveloper",
  method: "GET",
  path: "/v1/developers/{id}",
  tag,
  summary: "Read one developer, with its ETag",
  description: "With the number of their requests and keys, and the revision for `If-Match`.",
  permission: ["portal:read"],
  withinScope: true,
  withinElevation: true,
  answerHeaders: entityTag,
  response: developerDetail,
  errors: ["not_found"],
});

/** A further developer. */
export const createNativeDeveloper = defineEndpoint({
  id: "createNativeDeveloper",
  method: "POST",
  path: "/v1/developers",
  tag,
  summary: "Register a developer",
  description: "The answer is the developer as kept, with the `ETag` for later changes.",
  permission: ["portal:write"],
  body: z.object({ id: id.optional(), email, fields: freeForm.default({}) })
    .meta({ id: "CreateDeveloperInput" }),
  idempotent: true,
  answerHeaders: entityTag,
  response: developerDetail,
  errors: [...bodyErrors, "email_taken", "developer_exists", "not_found"],
  example: { email: "grace@example.org", fields: { name: "Grace", company: "Example" } },
});

/** Whose an account is with another address. */
export const handOverMembers = {
  account: z.enum(["same_person", "successor"], {
    error: "expected same_person or successor: whose the account is with this address",
  }).optional().meta({
    description:
      "Has to be said where another address was there before. `same_person`: everything stays. `successor`: the sessions, tokens, password and linked accounts of before end, open links are withdrawn, and the address before is told.",
  }),
  predecessor_keys: z.enum(["keep", "suspend", "revoke"], {
    error: "expected keep, suspend or revoke: what becomes of the predecessor's keys",
  }).optional().meta({
    description:
      "Has to be said of a successor: the predecessor may still have the keys. More than `keep` needs the permission `revoke`, and counts as revoking does.",
  }),
};

/** E-mail address and fields. */
export const editDeveloper = defineEndpoint({
  id: "editDeveloper",
  method: "PUT",
  path: "/v1/developers/{id}",
  tag,
  summary: "Replace a developer's e-mail address and fields; everything else stays",
  description:
    "`If-Match` refuses the change where the developer has changed since they were read. With another address `account` says whose the account is.",
  permission: ["portal:write"],
  body: z.object({ email, fields: freeForm.default({}), ...handOverMembers })
    .meta({ id: "EditDeveloperInput" }),
  headers: ifMatch,
  answerHeaders: entityTag,
  response: developerDetail,
  errors: [...bodyErrors, "not_found", "email_taken", "precondition_failed", "too_many_revoked"],
  example: {
    email: "grace@example.org",
    fields: { name: "Grace", company: "Example" },
    account: "same_person",
  },
});

/** What a developer is filed under. */
export const setDeveloperTags = defineEndpoint({
  id: "setDeveloperTags",
  method: "PUT",
  path: "/v1/developers/{id}/tags",
  tag,
  summary: "Set what a developer is filed under",
  description:
    "In place of the tags they had; an empty list takes them away. `If-Match` refuses the change where the developer has changed since they were read.",
  permission: ["portal:write"],
  body: z.object({ tags }).meta({ id: "DeveloperTagsInput" }),
  headers: ifMatch,
  answerHeaders: entityTag,
  response: developerDetail,
  errors: [...bodyErrors, "not_found", "precondition_failed"],
  example: { tags: ["partners"] },
});

/** To choose from. */
export const listDeveloperTags = defineEndpoint({
  id: "listDeveloperTags",
  method: "GET",
  path: "/v1/developer-tags",
  tag,
  summary: "List the tags that developers have, to choose from",
  description: "The first hundred, in the order of their bytes.",
  permission: ["portal:read"],
  response: z.strictObject({ tags: z.array(text) }).meta({ id: "DeveloperTagsInUse" }),
  errors: [],
});

/** No sign-in any more. */
export const deactivateDeveloper = defineEndpoint({
  id: "deactivateDeveloper",
  method: "POST",
  path: "/v1/developers/{id}/deactivate",
  tag,
  summary: "Let a developer sign in to the portal no more, and say what becomes of their keys",
  description:
    "`keys` has to be said: `keep` lets them live on, `suspend` suspends those that are active, `revoke` revokes all, for good with `approve` and for 7 days to undo without it; suspended keys count for the limit of an hour like revoked ones. More than `keep` needs the permission `revoke`. Open claim links of their keys are withdrawn in any case, and their sessions and tokens at the developer's pages end for good.",
  permission: ["portal:write"],
  body: z.object({
    keys: z.enum(["keep", "suspend", "revoke"], {
      error: "expected keep, suspend or revoke: what becomes of the developer's keys",
    }),
  }).meta({ id: "DeactivateDeveloperInput" }),
  // Without one it is refused by what it lacks.
  bodyOptional: true,
  headers: ifMatch,
  idempotent: true,
  answerHeaders: entityTag,
  response: developerDetail,
  errors: [...bodyErrors, "not_found", "precondition_failed", "too_many_revoked"],
  example: { keys: "suspend" },
});

/** Sign-in again. */
export const reactivateDeveloper = defineEndpoint({
  id: "reactivateDeveloper",
  method: "POST",
  path: "/v1/developers/{id}/reactivate",
  tag,
  summary: "Let a developer sign in to the portal again",
  description:
    "The opposite of deactivating; sessions and tokens of before stay ended. `keys: resume` resumes the keys that were suspended with them, which needs `approve`; else they stay suspended, and `suspended_keys` says how many.",
  permission: ["portal:write"],
  body: z.object({
    keys: z.enum(["keep", "resume"], { error: "expected keep or resume" }).optional().meta({
      description: "What becomes of the keys that were suspended with them; absent: keep.",
    }),
  }).meta({ id: "ReactivateDeveloperInput" }),
  bodyOptional: true,
  headers: ifMatch,
  idempotent: true,
  answerHeaders: entityTag,
  response: developerDetail,
  errors: [...bodyErrors, "not_found", "precondition_failed"],
  example: { keys: "resume" },
});

/** The developer, undecided requests, and keys as chosen. */
export const deleteNativeDeveloper = defineEndpoint({
  id: "deleteNativeDeveloper",
  method: "DELETE",
  path: "/v1/developers/{id}",
  tag,
  summary: "Delete a developer with their undecided requests, and revoke or keep their keys",
  description:
    "The query says what becomes of the keys; `revoke` needs the permission `revoke` where there are any. Developer and keys are shut at once, and somebody with `approve` can bring both back for 7 days. Without `approve` the access tokens of one person end no more than 50 keys an hour (a setting); their first deletion within an hour may be of a developer with more. `If-Match` refuses what has changed since it was read.",
  permission: ["portal:write"],
  query: z.object({
    keys: z.enum(["revoke", "keep"], { error: "expected revoke or keep" })
      .meta({ description: "What becomes of their keys; has to be said." }),
  }),
  headers: ifMatch,
  response: z.strictObject({
    id: text,
    revoked_keys: z.int(),
    deleted_requests: z.int(),
    undo_until: timestamp.meta({
      description: "Until when somebody with `approve` can bring developer and keys back.",
    }),
  }).meta({ id: "DeveloperDeleted" }),
  errors: [
    "not_found_for_deletion",
    "invalid_input",
    "precondition_failed",
    "too_many_revoked",
  ],
});
