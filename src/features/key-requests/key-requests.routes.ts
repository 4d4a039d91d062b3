import { ok } from "../../contract/envelope.ts";
import { bindFor, ifMatchOf } from "../../http/routes.ts";
import type { CatalogueContext } from "../plans/catalogue/live-catalogue.ts";
import * as contract from "./key-requests.contract.ts";
import { approve } from "./key-requests.service.ts";
import { withProvisioned } from "./provisioned-answer.ts";
import * as service from "./key-requests.service.ts";

const bind = bindFor<CatalogueContext>();

/** The six endpoints of key requests. */
export const keyRequestRoutes = [
  bind(contract.listKeyRequests, (ctx, { query }) => service.list(ctx, query)),
  bind(contract.getKeyRequest, (ctx, { params }) => service.get(ctx, params.id)),
  bind(
    contract.createKeyRequest,
    async (ctx, { body, idempotency }) => ok(await service.create(ctx, body, idempotency)),
  ),
  bind(contract.updateKeyRequest, async (ctx, { params, body }) => {
    await service.update(ctx, params.id, body);
    return ok(params.id);
  }),
  bind(contract.deleteKeyRequest, async (ctx, { params }) => {
    await service.remove(ctx, params.id);
    return ok("Data deleted");
  }),
  bind(
    contract.approveKeyRequest,
    async (ctx, call) => {
      const of = await approve(ctx, call.params.id, call.idempotency, ifMatchOf(call));
      const { at_gateways, ...reveal } = of;
      return await withProvisioned(ctx, call, reveal, at_gateways);
    },
  ),
];
