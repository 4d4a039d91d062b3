import { ok } from "../../contract/envelope.ts";
import { bind } from "../../http/routes.ts";
import * as documents from "./documents.contract.ts";
import * as document from "./documents.service.ts";
import * as contract from "./portal.contract.ts";
import * as service from "./portal.service.ts";

/** The endpoints of an organisation's catalogue, its documents, and the portal configuration. */
export const portalRoutes = [
  bind(contract.getCatalogue, (ctx) => service.getCatalogue(ctx)),
  bind(
    contract.createCatalogue,
    async (ctx, { body }) => ok(await service.putCatalogue(ctx, body)),
  ),
  bind(contract.updateCatalogue, async (ctx, { body }) => {
    await service.putCatalogue(ctx, body);
    return ok("Data updated");
  }),
  bind(contract.getConfiguration, (ctx) => service.getConfiguration(ctx)),
  bind(
    contract.createConfiguration,
    async (ctx, { body }) => ok(await service.putConfiguration(ctx, body)),
  ),
  bind(contract.updateConfiguration, async (ctx, { body }) => {
    await service.putConfiguration(ctx, body);
    return ok("Data updated");
  }),
  bind(
    documents.createDocument,
    async (ctx, { body, idempotency }) => ok(await document.create(ctx, body, idempotency)),
  ),
  bind(documents.getDocument, (ctx, { params }) => document.get(ctx, params.id)),
  bind(documents.updateDocument, async (ctx, { params, body }) => {
    await document.update(ctx, params.id, body);
    return ok("Data updated");
  }),
  bind(documents.deleteDocument, async (ctx, { params }) => {
    await document.remove(ctx, params.id);
    return ok("Data deleted");
  }),
];
