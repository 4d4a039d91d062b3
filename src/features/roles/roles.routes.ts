import { bindFor, ifMatchOf } from "../../http/routes.ts";
import { getPersonPermissions } from "./person-permissions.contract.ts";
import { permissionsOf } from "./person-permissions.service.ts";
import * as contract from "./roles.contract.ts";
import * as service from "./roles.service.ts";

const bind = bindFor<service.RoleContext>();

/** Roles of an organisation. */
export const roleRoutes = [
  bind(contract.listRoles, (ctx) => service.list(ctx)),
  bind(getPersonPermissions, (ctx, { params }) => {
    const { storage: { reader }, sealer, principal: { org_id } } = ctx;
    return permissionsOf(reader, sealer, { org_id, id: params.id });
  }),
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
