import { bind } from "../../http/routes.ts";
import * as contract from "./oauth.contract.ts";
import * as service from "./oauth.service.ts";

/** The OAuth endpoints. */
export const oauthRoutes = [
  bind(contract.issueToken, (ctx, call) =>
    service.issue(ctx, call.body, {
      authorization: call.headers.get("authorization"),
      address: ctx.clientAddresses.of(call),
    })),
  bind(contract.introspectToken, (ctx, { body }) => service.introspect(ctx, body.token)),
  bind(contract.revokeToken, async (ctx, call) => {
    await service.revoke(ctx, call.body, {
      authorization: call.headers.get("authorization"),
      address: ctx.clientAddresses.of(call),
    });
    return {};
  }),
];
