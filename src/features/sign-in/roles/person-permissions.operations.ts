import { operation } from "../../../http/operation.ts";
import { personPermissions } from "./person-permissions.contract.ts";
import { permissionsOf } from "./person-permissions.service.ts";
import * as service from "./roles.service.ts";

/** In sentences. */
export const getPersonPermissions = operation({
  id: "getPersonPermissions",
  method: "GET",
  path: "/v1/people/{id}/permissions",
  tag: "People",
  summary: "Tell what a person can do, and why, in sentences",
  description:
    "Of the person: an access token may have fewer. Permissions that another one includes are listed, too.",
  permission: ["admin:read"],
  response: personPermissions,
  errors: ["not_found"],
  serve(ctx: service.RoleContext, { params }) {
    const { storage: { reader }, sealer, principal: { org_id } } = ctx;
    return permissionsOf(reader, sealer, { org_id, id: params.id });
  },
});
