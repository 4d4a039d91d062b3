import { bind } from "../http/mount.ts";
import { withNextLink } from "../http/paging.ts";
import { exportActivity, listActivity } from "./activity.contract.ts";
import * as service from "./activity.service.ts";

/** The audit trail, for people to read. */
export const activityRoutes = [
  bind(listActivity, async (ctx, call) => withNextLink(call, await service.list(ctx, call.query))),
  bind(exportActivity, (ctx, { query }) => Promise.resolve(service.exportEvents(ctx, query))),
];
