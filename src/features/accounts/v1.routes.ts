import type { AnyCall } from "../../http/call.ts";
import { bind, ifMatchOf, withNextPage } from "../../http/routes.ts";
import { marked } from "../../kernel/csv.ts";
import * as deleted from "./deleted-developers.contract.ts";
import { listDeleted, restoreDeveloper } from "./deleted-developers.service.ts";
import { editV1 } from "./edit-developer.service.ts";
import * as contract from "./v1.contract.ts";
import * as service from "./v1.service.ts";
import { exportDevelopers } from "./v1.service.ts";

const carried = (call: AnyCall) => ({ ifMatch: ifMatchOf(call), idempotency: call.idempotency });

/** Developers under `/v1`; the words `export` and `deleted` stand before `/{id}`. */
export const v1DeveloperRoutes = [
  bind(contract.listNativeDevelopers, async (ctx, call) => {
    const page = await service.listV1(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  }),
  bind(
    contract.exportDevelopers,
    async (ctx, { query: { bom, ...query } }) => marked(await exportDevelopers(ctx, query), bom),
  ),
  bind(deleted.listDeletedDevelopers, async (ctx, call) => {
    const page = await listDeleted(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  }),
  bind(deleted.restoreDeveloper, async (ctx, { params, body, idempotency }) => {
    await restoreDeveloper(ctx, params.id, body.deletion, idempotency);
    return await service.getV1(ctx, params.id);
  }),
  bind(contract.createNativeDeveloper, async (ctx, call) => {
    const id = await service.createV1(ctx, call.body, call.idempotency);
    return await service.getV1(ctx, id);
  }),
  bind(contract.getNativeDeveloper, (ctx, { params }) => service.getV1(ctx, params.id)),
  bind(contract.editDeveloper, async (ctx, call) => {
    const { id } = call.params;
    await editV1(ctx, id, call.body, ifMatchOf(call));
    return await service.getV1(ctx, id);
  }),
  bind(contract.setDeveloperTags, async (ctx, call) => {
    const { id } = call.params;
    await service.setTags(ctx, id, call.body.tags, ifMatchOf(call));
    return await service.getV1(ctx, id);
  }),
  bind(contract.listDeveloperTags, (ctx) => service.tags(ctx)),
  bind(contract.deactivateDeveloper, async (ctx, call) => {
    const { id } = call.params;
    await service.deactivate(ctx, id, call.body.keys, carried(call));
    return await service.getV1(ctx, id);
  }),
  bind(contract.reactivateDeveloper, async (ctx, call) => {
    const { id } = call.params;
    await service.reactivate(ctx, id, call.body.keys ?? "keep", carried(call));
    return await service.getV1(ctx, id);
  }),
  bind(
    contract.deleteNativeDeveloper,
    (ctx, call) => service.removeV1(ctx, call.params.id, call.query.keys, ifMatchOf(call)),
  ),
];
