import { bind } from "../../http/routes.ts";
import * as contract from "./questions.contract.ts";
import * as service from "./questions.service.ts";

/** What developers are asked for. */
export const questionRoutes = [
  bind(contract.getPagesFields, (ctx) => service.get(ctx)),
  bind(contract.putPagesFields, (ctx, { body }) => service.replace(ctx, body)),
];
