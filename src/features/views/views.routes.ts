import { bind, ifMatchOf } from "../../http/routes.ts";
import * as contract from "./views.contract.ts";
import * as service from "./views.service.ts";

/** Saved views, and the columns of lists. */
export const viewRoutes = [
  bind(contract.listViews, (ctx, { query }) => service.list(ctx, query.list)),
  bind(
    contract.createView,
    (ctx, { body, idempotency }) => service.create(ctx, body, idempotency),
  ),
  bind(contract.getView, (ctx, { params }) => service.get(ctx, params.id)),
  bind(
    contract.updateView,
    (ctx, call) => service.update(ctx, call.params.id, call.body, ifMatchOf(call)),
  ),
  bind(
    contract.deleteView,
    (ctx, call) => service.remove(ctx, call.params.id, ifMatchOf(call)),
  ),
  bind(contract.listColumns, (ctx) => service.chosenColumns(ctx)),
  bind(contract.putColumns, (ctx, { body }) => service.chooseColumns(ctx, body)),
];
