import { bind } from "../../http/routes.ts";
import * as contract from "./delegations.contract.ts";
import * as service from "./delegations.service.ts";

/** Who decides in whose place. */
export const delegationRoutes = [
  bind(contract.getDelegation, (ctx) => service.read(ctx)),
  bind(contract.putDelegation, (ctx, { body }) => service.put(ctx, body)),
  bind(contract.deleteDelegation, (ctx) => service.end(ctx)),
];
