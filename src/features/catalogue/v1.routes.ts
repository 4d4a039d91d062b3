import type { AnyCall } from "../../http/call.ts";
import { bindFor, ifMatchOf, withNextPage } from "../../http/routes.ts";
import * as apis from "./apis.contract.ts";
import * as api from "./apis.service.ts";
import type { CatalogueContext } from "./live-catalogue.ts";
import * as contract from "./v1.contract.ts";
import * as service from "./v1.service.ts";

const bind = bindFor<CatalogueContext>();

const carried = (call: AnyCall) => ({ ifMatch: ifMatchOf(call), idempotency: call.idempotency });

/** Plans under `/v1`, and what the catalogue offers. */
export const v1PlanRoutes = [
  bind(contract.listNativePlans, async (ctx, call) => {
    const page = await service.listV1(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  }),
  bind(contract.createNativePlan, async (ctx, call) => {
    const id = await service.createV1(ctx, call.body, call.idempotency);
    return await service.getV1(ctx, id);
  }),
  bind(contract.getNativePlan, (ctx, { params }) => service.getV1(ctx, params.id)),
  bind(contract.editPlan, async (ctx, call) => {
    const { id } = call.params;
    const by = { ifMatch: ifMatchOf(call), idempotency: null };
    await service.changeV1(ctx, id, call.body, by);
    return await service.getV1(ctx, id);
  }),
  bind(contract.deactivatePlan, async (ctx, call) => {
    const { id } = call.params;
    await service.changeV1(ctx, id, { active: false }, carried(call));
    return await service.getV1(ctx, id);
  }),
  bind(contract.activatePlan, async (ctx, call) => {
    const { id } = call.params;
    await service.changeV1(ctx, id, { active: true }, carried(call));
    return await service.getV1(ctx, id);
  }),
  bind(contract.setPlanApproval, async (ctx, call) => {
    const { id } = call.params;
    await service.setApproval(ctx, id, call.body, ifMatchOf(call));
    return await service.getV1(ctx, id);
  }),
  bind(contract.deleteNativePlan, async (ctx, call) => {
    await service.removeV1(ctx, call.params.id, ifMatchOf(call));
    return { id: call.params.id };
  }),
  bind(contract.listCatalogue, (ctx) => service.listApis(ctx)),
  bind(apis.listApis, async (ctx, call) => {
    const page = await api.list(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  }),
  bind(
    apis.createApi,
    async (ctx, { body, idempotency }) => api.get(ctx, await api.create(ctx, body, idempotency)),
  ),
  bind(apis.getApi, (ctx, { params }) => api.get(ctx, params.id)),
  bind(apis.editApi, async (ctx, call) => {
    await api.change(ctx, call.params.id, call.body, ifMatchOf(call));
    return await api.get(ctx, call.params.id);
  }),
  bind(apis.deleteApi, async (ctx, call) => {
    await api.remove(ctx, call.params.id, ifMatchOf(call));
    return { id: call.params.id };
  }),
];
