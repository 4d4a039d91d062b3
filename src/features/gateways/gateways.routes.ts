import { bind, withNextPage } from "../../http/routes.ts";
import * as canary from "./canary.contract.ts";
import * as canaryService from "./canary.service.ts";
import { confirmGateway } from "./confirm-gateway.contract.ts";
import * as contract from "./gateways.contract.ts";
import * as service from "./gateways.service.ts";

/** Gateways that hold keys of their own. */
export const gatewayRoutes = [
  bind(contract.listGateways, (ctx) => service.list(ctx)),
  bind(
    contract.createGateway,
    (ctx, { body, idempotency }) => service.create(ctx, body, idempotency),
  ),
  bind(contract.getGateway, (ctx, { params }) => service.get(ctx, params.id)),
  bind(contract.updateGateway, (ctx, { params, body }) => service.update(ctx, params.id, body)),
  bind(
    confirmGateway,
    (ctx, { params, body }) => service.confirm(ctx, params.id, body.unconfirmed_since),
  ),
  bind(
    contract.deleteGateway,
    (ctx, { params, query }) => service.remove(ctx, params.id, query.keys),
  ),
  bind(contract.pauseGateway, (ctx, { params }) => service.pause(ctx, params.id, true)),
  bind(contract.resumeGateway, (ctx, { params }) => service.pause(ctx, params.id, false)),
  bind(
    contract.hurryGateway,
    (ctx, { params, body }) => service.hurry(ctx, params.id, body.key_id ?? null),
  ),
  bind(
    contract.reconcileGateway,
    (ctx, { params, body }) => service.reconcile(ctx, params.id, body),
  ),
  bind(contract.listKeysAtGateway, async (ctx, call) => {
    const page = await service.keysAt(ctx, call.params.id, call.query);
    return withNextPage(call, page, page.next_cursor);
  }),
  bind(canary.listCanaryRuns, (ctx, { params, query }) => {
    return canaryService.runs(ctx, params.id, query.hours);
  }),
  bind(canary.listUnknownKeysAtGateway, async (ctx, call) => {
    const page = await canaryService.unknownKeys(ctx, call.params.id, call.query);
    return withNextPage(call, page, page.next_cursor);
  }),
  bind(contract.getKeyAtGateways, (ctx, { params }) => service.ofKey(ctx, params.key_id)),
];
