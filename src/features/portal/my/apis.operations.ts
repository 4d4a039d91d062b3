import { nextPageLink } from "../../../contract/v1.ts";
import { operation } from "../../../http/operation.ts";
import { withNextPage } from "../../../http/routes.ts";
import { listMyApisQuery, myApi, myApiDocumentation, myApiList } from "./apis.contract.ts";
import * as service from "./apis.service.ts";
import type { MyContext } from "./own.ts";

const tag = "My requests and keys";

/** Lists the APIs. */
export const listMyApis = operation({
  id: "listMyApis",
  method: "GET",
  path: "/v1/my/apis",
  tag,
  summary: "List the APIs that are offered, with their plans and what one has of each",
  description:
    "By cursor, in the catalogue's order. APIs that the catalogue does not show or that others were invited to, and plans that can't be requested now, are left out.",
  permission: "developer",
  query: listMyApisQuery,
  answerHeaders: nextPageLink,
  response: myApiList,
  errors: ["invalid_input"],
  async serve(ctx: MyContext, call) {
    const page = await service.list(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  },
});

/** One of them. */
export const getMyApi = operation({
  id: "getMyApi",
  method: "GET",
  path: "/v1/my/apis/{id}",
  tag,
  summary: "Read one API that is offered, with its plans and what one has of each",
  description:
    "One that the catalogue does not show, or that others were invited to, is not found.",
  permission: "developer",
  response: myApi,
  errors: ["not_found"],
  serve: (ctx: MyContext, { params }) => service.get(ctx, params.id),
});

/** How it is called. */
export const getMyApiDocumentation = operation({
  id: "getMyApiDocumentation",
  method: "GET",
  path: "/v1/my/apis/{id}/documentation",
  tag,
  summary: "Read an API's documentation: its operations, or its text",
  description:
    "An OpenAPI document (2.0 to 3.2, JSON or YAML) is read as a list of operations, whose texts are plain texts. A document larger than 2 MiB, as YAML than 512 KiB, is not read.",
  permission: "developer",
  response: myApiDocumentation,
  errors: ["not_found"],
  serve: (ctx: MyContext, { params }) => service.documentation(ctx, params.id),
});
