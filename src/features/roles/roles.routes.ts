import { bind, ifMatchOf } from "../../http/routes.ts";
import * as contract from "./roles.contract.ts";
import * as service from "./roles.service.ts";

/** Roles of an organisation. */
export const roleRoutes = [
  bind(contract.listRoles, (ctx) => service.list(ctx)),
  bind(contract.getRole, (ctx, { params }) => service.get(ctx, params.id)),
  bind(contract.createRole, (ctx, { body, idempotency }) => service.add(ctx, body, idempotency)),
  bind(
    contract.updateRole,
    (ctx, call) => service.change(ctx, call.params.id, call.body, ifMatchOf(call)),
  ),
  bind(contract.deleteRole, async (ctx, call) => {
    await service.remove(ctx, call.params.id, ifMatchOf(call));
    return { removed: true as const };
  }),
];
