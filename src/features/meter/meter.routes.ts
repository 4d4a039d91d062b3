import { bind, withNextPage } from "../../http/routes.ts";
import * as contract from "./meter.contract.ts";
import { listDifferences, listKeys } from "./meter-keys.service.ts";
import { draftMails } from "./meter-mails.service.ts";
import { meter } from "./meter.service.ts";
import { setDecided } from "./meter.service.ts";

/** How far a move is, and who decides meanwhile. */
export const meterRoutes = [
  bind(contract.getMeter, (ctx) => meter(ctx)),
  bind(contract.listMeterKeys, async (ctx, call) => {
    const page = await listKeys(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  }),
  bind(contract.listMeterDifferences, async (ctx, call) => {
    const page = await listDifferences(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  }),
  bind(contract.draftMeterMails, (ctx, { query }) => draftMails(ctx, query)),
  bind(
    contract.switchPlanEndpoint,
    (ctx, { params, body }) => setDecided(ctx, params.id, body.decided),
  ),
];
