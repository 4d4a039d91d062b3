import { bind, withNextPage } from "../../http/routes.ts";
import { listRefusals } from "./refusals.contract.ts";
import * as service from "./refusals.service.ts";

/** Single refusals. */
export const refusalRoutes = [
  bind(listRefusals, async (ctx, call) => {
    const page = await service.list(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  }),
];
