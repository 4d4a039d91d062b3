import type { RequestContext } from "../../calls/context.ts";
import { bind } from "../../http/routes.ts";
import * as contract from "./provider-logout.contract.ts";
import * as service from "./provider-sign-in.service.ts";

/** What the developers' provider ends. */
export const developerProviderRoutes = [
  bind(contract.endDevelopersByProvider, async (ctx: RequestContext, call) => {
    const { params, body } = call;
    const address = ctx.clientAddresses.of(call);
    return { ended: await service.endByProvider(ctx, params.id, body.logout_token, address) };
  }),
];
