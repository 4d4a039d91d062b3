import { ok } from "../../contract/envelope.ts";
import { bind } from "../../http/routes.ts";
import * as contract from "./plans.contract.ts";
import * as service from "./plans.service.ts";

/** The endpoints of plans, which the wire calls policies. */
export const planRoutes = [
  bind(contract.listPlans, (ctx, { query }) => service.list(ctx, query.p)),
  bind(contract.searchPlans, (ctx, { query }) => service.search(ctx, query)),
  bind(
    contract.createPlan,
    async (ctx, { body, idempotency }) => ok(await service.create(ctx, body, idempotency)),
  ),
  bind(contract.getPlan, (ctx, { params }) => service.get(ctx, params.id)),
  bind(contract.updatePlan, async (ctx, { params, body }) => {
    await service.update(ctx, params.id, body);
    return ok("Data updated");
  }),
  bind(contract.deletePlan, async (ctx, { params }) => {
    await service.remove(ctx, params.id);
    return ok("Data deleted");
  }),
];
