import { parseJsonBody } from "../../http/json-body.ts";
import { bind } from "../../http/routes.ts";
import * as contract from "./leaks.contract.ts";
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
];
