import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { pageOf } from "../../contract/paging.ts";
import { entityTag, nextPageLink, pageQuery } from "../../contract/v1.ts";
import { freeForm, id, text, timestamp } from "../../contract/values.ts";
import { developerDetail } from "./v1.contract.ts";

const tag = "Developers (native)";

/** A developer who was deleted and can be brought back. */
export const deletedDeveloper = z.strictObject({
  deletion: text.meta({ description: "Which deletion: an id may be deleted, taken and deleted." }),
  id: text,
  email: text,
  fields: freeForm,
  deleted_at: timestamp,
  deleted_by: text.meta({ description: "The person whose access token deleted them." }),
  keys: z.int().meta({ description: "Keys that were shut with them, and come back too." }),
  until: timestamp.meta({
    description: "Then they are forgotten, and their keys revoked for good.",
  }),
}).meta({ id: "DeletedDeveloper" });

/** Developers who can be brought back. */
export const listDeletedDevelopers = defineEndpoint({
  id: "listDeletedDevelopers",
  method: "GET",
  path: "/v1/developers/deleted",
  tag,
  summary: "List deleted developers who can be brought back, the latest first",
  description: "For 7 days from their deletion.",
  permission: ["approve", "admin:read"],
  query: z.object(pageQuery),
  answerHeaders: nextPageLink,
  response: pageOf(deletedDeveloper).meta({ id: "DeletedDeveloperList" }),
  errors: ["invalid_input"],
});

/** The developer, maps and keys. */
export const restoreDeveloper = defineEndpoint({
  id: "restoreDeveloper",
  method: "POST",
  path: "/v1/developers/{id}/restore",
  tag,
  summary: "Bring back a deleted developer with their keys, for 7 days",
  description:
    "With password, maps and the keys that were shut with them; their undecided requests and what was counted of their use are gone. `deletion` says which one where developers of this id were deleted several times. 409 where somebody else has the id, the e-mail address or the sso_key by now.",
  permission: ["approve"],
  body: z.object({ deletion: id.optional() }).meta({ id: "RestoreDeveloperInput" }),
  idempotent: true,
  answerHeaders: entityTag,
  response: developerDetail,
  errors: [...bodyErrors, "not_found", "several_deletions", "developer_taken"],
  example: {},
});
