import { bind } from "../../http/routes.ts";
import * as contract from "./developers-access.contract.ts";
import * as service from "./developers-access.service.ts";

/** By what developers are signed in, for the people of their organisation. */
export const developersAccessRoutes = [
  bind(contract.listDeveloperSessions, async (ctx, { params }) => ({
    data: await service.listSessions(ctx, params.id),
  })),
  bind(contract.endDeveloperSession, async (ctx, { params }) => ({
    ended: await service.end(ctx, params.id, "sessions", params.session),
  })),
  bind(contract.endDeveloperSessions, async (ctx, { params }) => ({
    ended: await service.end(ctx, params.id, "sessions", null),
  })),
  bind(contract.listDeveloperTokens, async (ctx, { params }) => ({
    data: await service.listTokens(ctx, params.id),
  })),
  bind(contract.endDeveloperToken, async (ctx, { params }) => ({
    ended: await service.end(ctx, params.id, "tokens", params.token),
  })),
  bind(contract.endDeveloperTokens, async (ctx, { params }) => ({
    ended: await service.end(ctx, params.id, "tokens", null),
  })),
];
