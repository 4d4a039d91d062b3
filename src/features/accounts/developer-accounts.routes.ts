import { ok } from "../../contract/envelope.ts";
import { bindFor } from "../../http/routes.ts";
import * as contract from "./developer-accounts.contract.ts";
import * as service from "./developer-accounts.service.ts";

const bind = bindFor<service.AccountContext>();

/** The developers' own endpoints. */
export const developerAccountRoutes = [
  bind(contract.listDevelopers, (ctx, { query }) => service.list(ctx, query.p)),
  bind(
    contract.createDeveloper,
    async (ctx, { body, idempotency }) => ok(await service.create(ctx, body, idempotency)),
  ),
  bind(
    contract.verifyCredentials,
    async (ctx, call) =>
      ok(await service.verifyCredentials(ctx, call.body, ctx.clientAddresses.of(call))),
  ),
  bind(contract.getDeveloperByEmail, (ctx, { params }) => service.getByEmail(ctx, params.email)),
  bind(contract.getDeveloperBySsoKey, (ctx, { params }) => service.getBySsoKey(ctx, params.key)),
  bind(
    contract.listDevelopersOfApi,
    (ctx, { params, query }) => service.listOfApi(ctx, params.api, query.p),
  ),
  bind(contract.setPassword, async (ctx, { params, body }) => {
    await service.setPassword(ctx, params.id, body.password);
    return ok("Password changed");
  }),
  bind(contract.getDeveloper, (ctx, { params }) => service.get(ctx, params.id)),
  bind(contract.updateDeveloper, async (ctx, { params, body }) => {
    await service.update(ctx, params.id, body);
    return ok("Data updated");
  }),
  bind(contract.deleteDeveloper, async (ctx, { params, query }) => {
    await service.remove(ctx, params.id, query.keys ?? "revoke");
    return ok("Data deleted");
  }),
];
