import { pageOf } from "../../../contract/paging.ts";
import { nextPageLink } from "../../../contract/v1.ts";
import { operation } from "../../../http/operation.ts";
import { withNextPage } from "../../../http/routes.ts";
import { deniedCall, deniedCallQuery } from "./denied-calls.contract.ts";
import * as service from "./denied-calls.service.ts";

/** Which calls were denied lately, and why. */
export const listDeniedCalls = operation({
  id: "listDeniedCalls",
  method: "GET",
  path: "/v1/denied-calls",
  tag: "Use",
  summary: "List denied calls, each with its reason and what the plan gives, the newest first",
  description:
    "Of all nodes, within 2 seconds of the call and for 30 days: up to 200 of a second and node, the newest 100 of a key and the newest 10,000 of unknown keys. The presented key is never kept. A page may hold fewer than `limit` and still have a next one. Counts of all denied calls: `GET /v1/usage`.",
  permission: ["portal:read"],
  withinScope: true,
  withinTemporaryAccess: true,
  query: deniedCallQuery,
  answerHeaders: nextPageLink,
  response: pageOf(deniedCall).meta({ id: "DeniedCallList" }),
  errors: ["invalid_input"],
  async serve(ctx, call) {
    const page = await service.list(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  },
});

/** One of them. */
export const getDeniedCall = operation({
  id: "getDeniedCall",
  method: "GET",
  path: "/v1/denied-calls/{id}",
  tag: "Use",
  summary: "Read one denied call by its id",
  description: "For as long as the list has it. A call of a key outside of the scope is not found.",
  permission: ["portal:read"],
  withinScope: true,
  withinTemporaryAccess: true,
  response: deniedCall,
  errors: ["not_found"],
  serve: (ctx, { params: { id } }) => service.get(ctx, id),
});
