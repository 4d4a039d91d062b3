import { bind } from "../../http/routes.ts";
import * as contract from "./branding.contract.ts";
import * as service from "./branding.service.ts";

/** What an organisation shows of itself. */
export const brandingRoutes = [
  bind(contract.getSignInBranding, (ctx) => service.getSignIn(ctx)),
  bind(contract.getBranding, (ctx) => service.get(ctx)),
  bind(contract.putBranding, (ctx, { body }) => service.replace(ctx, body)),
];
