import { bind } from "../../http/routes.ts";
import { requireSameOrigin } from "../../http/session-cookie.ts";
import * as contract from "./sign-in-rules.contract.ts";
import * as service from "./sign-in-rules.service.ts";

/** How people sign in, as an organisation sets it, and what an address can try. */
export const signInRuleRoutes = [
  bind(contract.getSignInRules, (ctx) => service.get(ctx)),
  bind(contract.putSignInRules, (ctx, { body }) => service.replace(ctx, body)),
  bind(contract.listSignInWays, (ctx, { body, headers }) => {
    requireSameOrigin(headers, ctx.settings.publicUrl);
    return service.waysOf(ctx, body.email, headers.get("host"));
  }),
];
