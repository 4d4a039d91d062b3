import { z } from "zod";
import { bodyErrors } from "../../../contract/endpoint.ts";
import { permissions } from "../../../contract/permissions.ts";
import { entityTag, ifMatch, nullable } from "../../../contract/v1.ts";
import { text, timestamp } from "../../../contract/values.ts";
import { operation } from "../../../http/operation.ts";
import { ifMatchOf } from "../../../http/routes.ts";
import { leftOpen } from "../../people/left-open.contract.ts";
import { nameInput, permissionsInput } from "../../people/people.contract.ts";
import * as service from "./roles.service.ts";

const tag = "People";

/** A role as it is read. */
export const role = z.strictObject({
  id: text,
  name: text,
  description: text.meta({ description: "For whom it is; empty of the organisation's own." }),
  permissions: z.array(z.enum(permissions)),
  preset: z.boolean().meta({
    description: "True: every organisation has it, and it can't be changed.",
  }),
  used_by: z.strictObject({ people: z.int(), access_tokens: z.int(), identity_providers: z.int() })
    .meta({ description: "How many have it now." }),
  date_created: nullable(timestamp),
  date_updated: nullable(timestamp),
}).meta({ id: "Role" });

const roleInput = z.object({
  name: nameInput,
  permissions: permissionsInput.min(1),
}).meta({ id: "RoleInput" });

/** All of them. */
export const listRoles = operation({
  id: "listRoles",
  method: "GET",
  path: "/v1/roles",
  tag,
  summary: "List the roles: those that every organisation has, then its own, the oldest first",
  description: "At most 100 are its own. One whose sealing key is lost is not among them.",
  permission: ["admin:read"],
  response: z.strictObject({ data: z.array(role) }).meta({ id: "RoleList" }),
  errors: [],
  serve: (ctx: service.RoleContext) => service.list(ctx),
});

/** One of them. */
export const getRole = operation({
  id: "getRole",
  method: "GET",
  path: "/v1/roles/{id}",
  tag,
  summary: "Read a role, and how many have it",
  description: "People who left are not counted, nor expired access tokens.",
  permission: ["admin:read"],
  answerHeaders: entityTag,
  response: role,
  errors: ["not_found"],
  serve: (ctx: service.RoleContext, { params }) => service.get(ctx, params.id),
});

/** One more. */
export const createRole = operation({
  id: "createRole",
  method: "POST",
  path: "/v1/roles",
  tag,
  summary: "Add a role; you can grant only permissions that you have",
  description:
    "People, access tokens and the groups of identity providers name it by its id. No two have one name.",
  permission: ["admin"],
  needsFreshSignIn: true,
  body: roleInput,
  idempotent: true,
  answerHeaders: entityTag,
  response: role,
  errors: [...bodyErrors, "permission_not_held", "role_name_taken", "too_many_roles"],
  example: { name: "First line", permissions: ["portal:read", "revoke"] },
  serve: (ctx: service.RoleContext, { body, idempotency }) => service.add(ctx, body, idempotency),
});

/** Another name, other permissions. */
export const updateRole = operation({
  id: "updateRole",
  method: "PUT",
  path: "/v1/roles/{id}",
  tag,
  summary: "Change a role, and the permissions of all its people, within a second",
  description:
    "You can grant only permissions that you have, and can't reduce a role that has more than you; the last administrator stays one. Invitations of people who get more by it are withdrawn.",
  permission: ["admin"],
  needsFreshSignIn: true,
  body: roleInput,
  headers: ifMatch,
  answerHeaders: entityTag,
  response: role.extend({ left_open: leftOpen }).meta({ id: "ChangedRole" }),
  errors: [
    ...bodyErrors,
    "not_found",
    "permission_not_held",
    "person_holds_more",
    "role_name_taken",
    "role_fixed",
    "last_administrator",
    "precondition_failed",
    "managed_by_file",
  ],
  example: { name: "First line", permissions: ["portal:read"] },
  serve: (ctx: service.RoleContext, call) =>
    service.change(ctx, call.params.id, call.body, ifMatchOf(call)),
});

/** One less. */
export const deleteRole = operation({
  id: "deleteRole",
  method: "DELETE",
  path: "/v1/roles/{id}",
  tag,
  summary: "Remove an unused role",
  description:
    "While people, access tokens or groups of identity providers have it, it stays: 409 says how many.",
  permission: ["admin"],
  needsFreshSignIn: true,
  headers: ifMatch,
  response: z.strictObject({ removed: z.literal(true) }).meta({ id: "RoleRemoved" }),
  errors: ["not_found", "role_fixed", "role_in_use", "precondition_failed", "managed_by_file"],
  async serve(ctx: service.RoleContext, call) {
    await service.remove(ctx, call.params.id, ifMatchOf(call));
    return { removed: true as const };
  },
});
