import { bind } from "../../http/routes.ts";
import * as contract from "./person-sessions.contract.ts";
import * as service from "./person-sessions.service.ts";

/** Where people are signed in, for whoever administers them. */
export const personSessionRoutes = [
  bind(contract.listPersonSessions, async (ctx, { params }) => ({
    data: await service.list(ctx, params.id),
  })),
  bind(contract.endPersonSession, async (ctx, { params }) => ({
    ended: await service.end(ctx, params.id, params.session),
  })),
  bind(contract.endPersonSessions, async (ctx, { params }) => ({
    ended: await service.end(ctx, params.id, null),
  })),
];
