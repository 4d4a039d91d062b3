import { bind } from "../../http/routes.ts";
import * as contract from "./doors.contract.ts";
import * as service from "./doors.service.ts";

/** Doors that somebody set up. */
export const doorRoutes = [
  bind(contract.listDoors, (ctx) => service.list(ctx)),
  bind(contract.createDoor, (ctx, { body, idempotency }) => service.create(ctx, body, idempotency)),
  bind(contract.updateDoor, (ctx, { params, body }) => service.update(ctx, params.id, body)),
  bind(contract.deleteDoor, (ctx, { params }) => service.remove(ctx, params.id)),
];
