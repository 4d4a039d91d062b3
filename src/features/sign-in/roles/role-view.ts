import type { RolePreset } from "../../../contract/roles.ts";
import type { Permission } from "../../../contract/permissions.ts";
import { revisionOf } from "../../../kernel/entity-tag.ts";
import type { OwnRole } from "../../people/role.ts";

/** How many have a role. */
export interface RoleUses {
  people: number;
  access_tokens: number;
  identity_providers: number;
}

/** A role as it is shown. */
export interface RoleView {
  id: string;
  name: string;
  description: string;
  permissions: Permission[];
  preset: boolean;
  used_by: RoleUses;
  date_created: string | null;
  date_updated: string | null;
}

/** A role that every organisation has, as it is shown. */
export function toPresetRole(preset: RolePreset, used_by: RoleUses): RoleView {
  const { id, name, description, permissions } = preset;
  const dates = { date_created: null, date_updated: null };
  return { id, name, description, permissions: [...permissions], preset: true, used_by, ...dates };
}

/** A role of the organisation's own as it is shown. */
export function toRole(role: OwnRole, used_by: RoleUses): RoleView {
  const { id, name, permissions, created_at: date_created, updated_at: date_updated } = role;
  const own = { description: "", preset: false, used_by };
  return { id, name, permissions, ...own, date_created, date_updated };
}

/** A name of what is set of a role. The people with the role are no part of it. */
export function roleRevision({ id, name, permissions, date_updated }: RoleView): string {
  return revisionOf({ id, name, permissions, date_updated });
}
