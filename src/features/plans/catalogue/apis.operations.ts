import { z } from "zod";
import { bodyErrors } from "../../../contract/endpoint.ts";
import { exampleApi } from "../../../contract/example-ids.ts";
import { entityTag, ifMatch, nextPageLink } from "../../../contract/v1.ts";
import { text } from "../../../contract/values.ts";
import { operation } from "../../../http/operation.ts";
import { ifMatchOf, withNextPage } from "../../../http/routes.ts";
import {
  api,
  apiListQuery,
  catalogueApiList,
  editCatalogueApiInput,
  newCatalogueApiInput,
} from "./apis.contract.ts";
import * as apiService from "./apis.service.ts";
import type { CatalogueContext } from "./live-catalogue.ts";

const tag = "APIs";

/** APIs by cursor, in the catalogue's order. */
export const listApis = operation({
  id: "listCatalogueApis",
  method: "GET",
  path: "/v1/apis",
  tag,
  summary: "List the catalogue's APIs with their plans and counts, in its order",
  description: "By cursor. APIs are those of plans and of the catalogue.",
  permission: ["portal:read"],
  withinScope: true,
  withinTemporaryAccess: true,
  query: apiListQuery,
  answerHeaders: nextPageLink,
  response: catalogueApiList,
  errors: ["invalid_input"],
  async serve(ctx: CatalogueContext, call) {
    const page = await apiService.list(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  },
});

/** One API. */
export const getApi = operation({
  id: "getCatalogueApi",
  method: "GET",
  path: "/v1/apis/{id}",
  tag,
  summary: "Read one API of the catalogue, with its ETag",
  description: "With the revision for `If-Match`.",
  permission: ["portal:read"],
  withinScope: true,
  withinTemporaryAccess: true,
  answerHeaders: entityTag,
  response: api,
  errors: ["not_found"],
  serve: (ctx: CatalogueContext, { params }) => apiService.get(ctx, params.id),
});

/** A further API. */
export const createApi = operation({
  id: "createCatalogueApi",
  method: "POST",
  path: "/v1/apis",
  tag,
  summary: "Add an API to the catalogue; it is shown unless `show` is false",
  description: "The answer is the API as kept, with its id.",
  permission: ["plans"],
  body: newCatalogueApiInput,
  idempotent: true,
  answerHeaders: entityTag,
  response: api,
  errors: [...bodyErrors, "api_exists", "unknown_plan", "not_found"],
  example: { id: exampleApi, name: "Tides", short_description: "High and low water by the hour" },
  serve: async (ctx: CatalogueContext, { body, idempotency }) =>
    apiService.get(ctx, await apiService.create(ctx, body, idempotency)),
});

/** Texts, whether it is shown, and plans. */
export const editApi = operation({
  id: "editCatalogueApi",
  method: "PUT",
  path: "/v1/apis/{id}",
  tag,
  summary: "Change an API of the catalogue; members that are left out stay",
  description:
    "Members that are left out stay, and so do `plans` that are sent as they were read. `If-Match` refuses what has changed since it was read.",
  permission: ["plans"],
  body: editCatalogueApiInput,
  answeredOtherwise: ["plans"],
  headers: ifMatch,
  answerHeaders: entityTag,
  response: api,
  errors: [...bodyErrors, "not_found", "unknown_plan", "precondition_failed", "managed_by_file"],
  example: { show: true, version: "v2" },
  async serve(ctx: CatalogueContext, call) {
    await apiService.change(ctx, call.params.id, call.body, ifMatchOf(call));
    return await apiService.get(ctx, call.params.id);
  },
});

/** It is offered no more. */
export const deleteApi = operation({
  id: "deleteCatalogueApi",
  method: "DELETE",
  path: "/v1/apis/{id}",
  tag,
  summary:
    "Take an API out of the catalogue; its plans stay, and their keys are valid for it as before",
  description: "`If-Match` refuses what has changed since it was read.",
  permission: ["plans"],
  headers: ifMatch,
  response: z.strictObject({ id: text }).meta({ id: "CatalogueApiDeleted" }),
  errors: ["not_found_for_deletion", "precondition_failed", "managed_by_file"],
  async serve(ctx: CatalogueContext, call) {
    await apiService.remove(ctx, call.params.id, ifMatchOf(call));
    return { id: call.params.id };
  },
});
