import type { Actor } from "../audit/audit.ts";
import { allows, type Permission, permissions } from "../contract/permissions.ts";

/** Who calls, for which organisation, and what they may do. */
export interface Principal {
  readonly org_id: string;
  readonly user_id: string;
  readonly token_id: string;
  readonly permissions: readonly Permission[];
}

/** True when the principal holds this permission. */
export function may(principal: Principal, permission: Permission): boolean {
  return allows(principal.permissions, permission);
}

/** The principal as the one who acts now. */
export function actorOf(principal: Principal, nowMs: number): Actor {
  return {
    org_id: principal.org_id,
    user_id: principal.user_id,
    token_id: principal.token_id,
    now: nowMs,
  };
}

/** Permissions as they are stored: words separated by blanks. Words that this code does not know grant nothing. */
export function parsePermissions(text: string): Permission[] {
  const words = text.split(" ");
  return permissions.filter((permission) => words.includes(permission));
}
