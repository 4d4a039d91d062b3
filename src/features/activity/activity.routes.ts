import { bind, withNextPage } from "../../http/routes.ts";
import { marked } from "../../kernel/csv.ts";
import { exportActivity, listActivity } from "./activity.contract.ts";
import * as service from "./activity.service.ts";

/** The audit trail, for people to read. */
export const activityRoutes = [
  bind(listActivity, async (ctx, call) => {
    const page = await service.list(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  }),
  bind(
    exportActivity,
    async (ctx, { query: { bom, ...query } }) =>
      marked(await service.exportEvents(ctx, query), bom),
  ),
];
