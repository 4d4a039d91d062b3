import { bind } from "../../../http/routes.ts";
import * as contract from "./identity-providers.contract.ts";
import * as service from "./identity-providers.service.ts";

/** Identity providers of an organisation. */
export const identityProviderRoutes = [
  bind(contract.listIdentityProviders, (ctx) => service.list(ctx)),
  bind(contract.getIdentityProvider, (ctx, { params }) => service.get(ctx, params.id)),
  bind(
    contract.createIdentityProvider,
    (ctx, { body, idempotency }) => service.add(ctx, body, idempotency),
  ),
  bind(
    contract.replaceIdentityProvider,
    (ctx, { params, body }) => service.change(ctx, params.id, body),
  ),
  bind(contract.deleteIdentityProvider, async (ctx, { params }) => {
    await service.remove(ctx, params.id);
    return { removed: true as const };
  }),
  bind(contract.checkIdentityProvider, (ctx, { params }) => service.check(ctx, params.id)),
];
