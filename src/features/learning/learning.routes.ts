import { bind } from "../../http/routes.ts";
import * as contract from "./learning.contract.ts";
import * as service from "./learning.service.ts";

/** Learning from gateways. */
export const learningRoutes = [
  bind(contract.getLearning, (ctx, { params }) => service.get(ctx, params.id)),
  bind(contract.startLearning, (ctx, { params, body }) => service.start(ctx, params.id, body)),
  bind(contract.stopLearning, (ctx, { params }) => service.stop(ctx, params.id)),
  bind(
    contract.confirmLosses,
    (ctx, { params, body }) => service.confirmLosses(ctx, params.id, body.awaiting),
  ),
];
