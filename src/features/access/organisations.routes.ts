import { bind, withNextPage } from "../../http/routes.ts";
import * as contract from "./organisations.contract.ts";
import * as service from "./organisations.service.ts";

/** Organisations, for the operator. */
export const organisationRoutes = [
  bind(contract.listOrganisations, async (ctx, call) => {
    const page = await service.list(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  }),
  bind(
    contract.createOrganisation,
    (ctx, call) => service.create(ctx, call.body, call.idempotency),
  ),
];
