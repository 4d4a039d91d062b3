import { bind, withNextPage } from "../../http/routes.ts";
import * as contract from "./access-tokens.contract.ts";
import * as service from "./access-tokens.service.ts";

/** Access tokens of people, but for those that a claim link may hand over (`keys/claims/`). */
export const accessTokenRoutes = [
  bind(contract.listPersonCredentials, async (ctx, call) => {
    const page = await service.list(ctx, call.params.id, call.query);
    return withNextPage(call, page, page.next_cursor);
  }),
  bind(
    contract.limitAccessCredential,
    (ctx, call) =>
      service.limit(
        ctx,
        call.params.id,
        call.body.addresses,
        ctx.clientAddresses.exactly(call),
      ),
  ),
  bind(contract.revokeAccessCredential, (ctx, { params }) => service.revoke(ctx, params.id)),
];
