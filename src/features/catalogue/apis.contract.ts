import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { exampleApi } from "../../contract/example-ids.ts";
import { pageOf } from "../../contract/paging.ts";
import { entityTag, ifMatch, nextPageLink, pageQuery } from "../../contract/v1.ts";
import { id, idOrEmpty, text, withoutControls } from "../../contract/values.ts";
import { v1Plan } from "./v1.contract.ts";

const tag = "Catalogue (native)";

const { name: _, ...shape } = v1Plan.shape;

/** A plan that an API is offered by. */
const offeredPlan = z.strictObject({
  id: text.meta({ description: "As the catalogue names it: either id of the plan." }),
  name: text.meta({
    description: "Empty where there is no such plan; then the rest says nothing.",
  }),
  opens: z.boolean()
    .meta({
      description: "Whether its keys open this API: false where its `access_rights` lack it.",
    }),
  active: shape.active,
  rate: shape.rate,
  per: shape.per,
  quota_max: shape.quota_max,
  quota_renewal_rate: shape.quota_renewal_rate,
  auth_type: shape.auth_type,
  key_expires_in: shape.key_expires_in,
  approval: shape.approval,
  key_request_fields: shape.key_request_fields,
  keys: shape.keys,
  pending_requests: shape.pending_requests,
}).meta({ id: "OfferedPlan" });

/** An API of the catalogue. */
export const api = z.strictObject({
  id: text.meta({ description: "What gateways call it when they ask whether a key opens it." }),
  name: text.meta({
    description: "Its entries' name; where they are named one by one, what its plans call it.",
  }),
  short_description: text,
  long_description: text,
  documentation: text,
  version: text,
  show: z.boolean().meta({ description: "Whether portals show it. Its keys open it either way." }),
  plans: z.array(offeredPlan),
  revision: text.meta({ description: "What `ETag` and `If-Match` hold, without the quotes." }),
}).meta({ id: "CatalogueApi" });

const line = (most: number) => withoutControls(z.string().trim().max(most));

const name = line(255).min(1);

const members = {
  short_description: line(1000).optional(),
  long_description: text.max(20_000).optional(),
  documentation: text.max(1000).optional(),
  version: line(100).optional(),
  show: z.boolean().optional(),
  plans: z.array(id).max(50).optional().meta({
    description: "The plans that it is offered by, by either of their ids; others are no longer.",
  }),
};

/** What the list is narrowed by. */
export const apiListQuery = z.object({
  ...pageQuery,
  q: z.string().trim().min(1).max(100).optional()
    .meta({
      description: "Only APIs that hold this text, in any case, in id, name or description.",
    }),
});

/** APIs by cursor, in the catalogue's order. */
export const listApis = defineEndpoint({
  id: "listCatalogueApis",
  method: "GET",
  path: "/v1/apis",
  tag,
  summary: "List the catalogue's APIs with their plans, and what there is of each, in its order",
  description: "By cursor. An API is what plans open and the catalogue shows.",
  permission: ["portal:read"],
  withinScope: true,
  withinElevation: true,
  query: apiListQuery,
  answerHeaders: nextPageLink,
  response: pageOf(api).meta({ id: "CatalogueApiList" }),
  errors: ["invalid_input"],
});

/** One API. */
export const getApi = defineEndpoint({
  id: "getCatalogueApi",
  method: "GET",
  path: "/v1/apis/{id}",
  tag,
  summary: "Read one API of the catalogue, with its ETag",
  description: "With the revision for `If-Match`.",
  permission: ["portal:read"],
  withinScope: true,
  withinElevation: true,
  answerHeaders: entityTag,
  response: api,
  errors: ["not_found"],
});

/** A further API. */
export const createApi = defineEndpoint({
  id: "createCatalogueApi",
  method: "POST",
  path: "/v1/apis",
  tag,
  summary: "Add an API to the catalogue; it is shown unless `show` is false",
  description: "The answer is the API as kept, with its id.",
  permission: ["plans"],
  body: z.object({ id: idOrEmpty.optional(), name, ...members }).meta({
    id: "NewCatalogueApiInput",
  }),
  idempotent: true,
  answerHeaders: entityTag,
  response: api,
  errors: [...bodyErrors, "api_exists", "unknown_plan", "not_found"],
  example: { id: exampleApi, name: "Tides", short_description: "High and low water by the hour" },
});

/** Texts, whether it is shown, and plans. */
export const editApi = defineEndpoint({
  id: "editCatalogueApi",
  method: "PUT",
  path: "/v1/apis/{id}",
  tag,
  summary: "Change an API of the catalogue; members that are left out stay",
  description:
    "Members that are left out stay, and so do `plans` that are sent as they were read. `If-Match` refuses what has changed since it was read.",
  permission: ["plans"],
  body: z.object({ name: name.optional(), ...members }).meta({ id: "EditCatalogueApiInput" }),
  shownOtherwise: ["plans"],
  headers: ifMatch,
  answerHeaders: entityTag,
  response: api,
  errors: [...bodyErrors, "not_found", "unknown_plan", "precondition_failed"],
  example: { show: true, version: "v2" },
});

/** It is offered no more. */
export const deleteApi = defineEndpoint({
  id: "deleteCatalogueApi",
  method: "DELETE",
  path: "/v1/apis/{id}",
  tag,
  summary: "Take an API out of the catalogue; its plans stay, and their keys open it as before",
  description: "`If-Match` refuses what has changed since it was read.",
  permission: ["plans"],
  headers: ifMatch,
  response: z.strictObject({ id: text }).meta({ id: "CatalogueApiDeleted" }),
  errors: ["not_found_for_deletion", "precondition_failed"],
});
