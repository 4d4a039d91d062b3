import { bind } from "../../http/routes.ts";
import * as contract from "./developer-tokens.contract.ts";
import * as service from "./developer-tokens.service.ts";

/** Tokens of developers' own. */
export const developerTokenRoutes = [
  bind(contract.listMyTokens, async (ctx) => ({ data: await service.list(ctx) })),
  bind(contract.createMyToken, (ctx, { body }) => service.create(ctx, body)),
  bind(contract.endMyToken, async (ctx, { params }) => {
    await service.end(ctx, params.id);
    return { ended: 1 as const };
  }),
];
