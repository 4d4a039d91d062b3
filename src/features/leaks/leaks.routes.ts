import { parseJsonBody } from "../../http/json-body.ts";
import { bind, withNextPage } from "../../http/routes.ts";
import * as contract from "./leaks.contract.ts";
import { listLeaks } from "./list-leaks.service.ts";
import * as service from "./leaks.service.ts";

/** The leak desk's endpoints. */
export const leakRoutes = [
  bind(
    contract.reportLeaks,
    (ctx, { body, peer, headers }) => service.report(ctx, body, { peer, headers }),
  ),
  bind(
    contract.reportPartnerLeaks,
    (ctx, { body, peer, headers }) =>
      service.reportSigned(ctx, body.bytes, parseJsonBody, { peer, headers }),
  ),
  bind(contract.listLeaks, async (ctx, call) => {
    const page = await listLeaks(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  }),
  bind(
    contract.dismissLeak,
    (ctx, { params, body }) => service.dismiss(ctx, params.key_id, body.reason),
  ),
];
