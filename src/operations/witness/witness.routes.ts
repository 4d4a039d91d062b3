import { bind } from "../../http/routes.ts";
import { addCheckpoint } from "./witness.contract.ts";
import * as service from "./witness.service.ts";

/** What logs of others ask of this desk. */
export const witnessRoutes = [
  bind(addCheckpoint, (ctx, { body }) => service.addCheckpoint(ctx, body.bytes)),
];
