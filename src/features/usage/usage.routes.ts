import { bind } from "../../http/routes.ts";
import { getKeyActivity, getKeysActivity } from "./activity-keys.contract.ts";
import { keysActivity } from "./activity-keys.service.ts";
import { getUsageOfKeys } from "./usage-of-keys.contract.ts";
import { usage, usageOfKeys } from "./usage.service.ts";
import { getUsage } from "./v1.contract.ts";

/** How often keys were used. */
export const usageRoutes = [
  bind(getUsage, (ctx, { query }) => usage(ctx, query)),
  bind(getUsageOfKeys, (ctx, { query }) => usageOfKeys(ctx, query.keys)),
  bind(
    getKeyActivity,
    (ctx, { params, query }) => keysActivity(ctx, [params.hash], params, query),
  ),
  bind(getKeysActivity, (ctx, { params, query }) =>
    // One of its paths has no keys at all.
    keysActivity(ctx, (params.keys ?? "").split(","), params, query)),
];
