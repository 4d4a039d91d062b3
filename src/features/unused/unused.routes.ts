import { bind, ifMatchOf } from "../../http/routes.ts";
import * as contract from "./unused.contract.ts";
import * as service from "./unused.service.ts";

/** What becomes of keys that nobody uses. */
export const unusedRoutes = [
  bind(contract.getUnusedKeyRule, (ctx, { params }) => service.getRule(ctx, params.id)),
  bind(
    contract.putUnusedKeyRule,
    (ctx, call) => service.putRule(ctx, call.params.id, call.body, ifMatchOf(call)),
  ),
  bind(contract.getKeySchedule, (ctx, { params }) => service.schedule(ctx, params.key_id)),
  bind(
    contract.keepKeyEndpoint,
    (ctx, call) => service.keep(ctx, call.params.key_id, call.body.reason, call.idempotency),
  ),
  bind(
    contract.setKeyElsewhere,
    (ctx, { params, body }) => service.setElsewhere(ctx, params.key_id, body.elsewhere ?? null),
  ),
];
