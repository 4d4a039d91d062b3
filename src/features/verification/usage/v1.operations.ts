import { operation } from "../../../http/operation.ts";
import { usage } from "./usage.service.ts";
import { getUsageResponse, usageQuery } from "./v1.contract.ts";

/** How often keys were used. */
export const getUsage = operation({
  id: "getUsage",
  method: "GET",
  path: "/v1/usage",
  tag: "Use",
  summary:
    "How often keys were used, by day or hour: of a key, a plan, a developer, an API, or all of them",
  description:
    "As verification counted it: calls that passed and calls that were refused, for each hour or day.",
  permission: ["portal:read"],
  withinScope: true,
  withinTemporaryAccess: true,
  query: usageQuery,
  response: getUsageResponse,
  errors: ["invalid_input"],
  serve: (ctx, { query }) => usage(ctx, query),
});
