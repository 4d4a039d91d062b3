import { bind, ifMatchOf } from "../../http/routes.ts";
import * as rulesContract from "./elevation-rules.contract.ts";
import * as rules from "./elevation-rules.service.ts";
import * as contract from "./elevations.contract.ts";
import * as service from "./elevations.service.ts";

/** Break-glass: who may hold a role for a while, and who does. */
export const elevationRoutes = [
  bind(rulesContract.listElevationRules, (ctx) => rules.list(ctx)),
  bind(
    rulesContract.createElevationRule,
    (ctx, { body, idempotency }) => rules.add(ctx, body, idempotency),
  ),
  bind(
    rulesContract.updateElevationRule,
    (ctx, call) => rules.change(ctx, call.params.id, call.body, ifMatchOf(call)),
  ),
  bind(rulesContract.deleteElevationRule, async (ctx, { params }) => ({
    removed: true as const,
    ended: await rules.remove(ctx, params.id),
  })),
  bind(contract.listElevations, (ctx) => service.list(ctx)),
  bind(contract.getOwnElevations, (ctx) => service.own(ctx)),
  bind(
    contract.challengeForElevation,
    (ctx, { body, headers }) => service.challenge(ctx, body, headers.get("host")),
  ),
  bind(
    contract.startElevation,
    (ctx, { body, headers }) => service.start(ctx, body, headers.get("host")),
  ),
  bind(contract.confirmElevation, (ctx, { params }) => service.confirm(ctx, params.id)),
  bind(contract.endElevation, (ctx, { params }) => service.end(ctx, params.id)),
];
