import { bind } from "../../http/routes.ts";
import * as contract from "./developer-pages.contract.ts";
import * as service from "./developer-pages.service.ts";

/** What the developer's pages are set to, and what they say of themselves. */
export const developerPageRoutes = [
  bind(contract.getDeveloperPages, (ctx) => service.get(ctx)),
  bind(contract.putDeveloperPages, (ctx, { body }) => service.replace(ctx, body)),
  bind(contract.showDeveloperPages, (ctx, { headers }) => service.show(ctx, headers)),
];
