import { parsePermissions } from "../../calls/principal.ts";
import { readScope, type Scope } from "../../contract/scope.ts";
import { type Permission, storedPermissions } from "../../contract/permissions.ts";

/** A person as stored. */
export interface PersonRow {
  id: string;
  name: string;
  /** Words separated by blanks. */
  permissions: string;
  date_created: string;
  deactivated_at: string | null;
  /** Since when their access tokens and sessions open nothing, until that is lifted. */
  suspended_at: string | null;
  /** Their e-mail address; null: none. */
  email: string | null;
  /** The id of the role whose permissions these are; null: they were given one by one. */
  role: string | null;
  /** The text of the scope in which they see and decide; null: everything. */
  covers: string | null;
}

/** A person as shown; what the entity tag is made of, too. */
export interface Person {
  id: string;
  name: string;
  permissions: Permission[];
  state: "active" | "suspended" | "deactivated";
  date_created: string;
  deactivated_at: string | null;
  suspended_at: string | null;
  email: string | null;
  role: string | null;
  scope: Scope | null;
}

/** A stored person as shown. */
export function toPerson(row: PersonRow): Person {
  return {
    id: row.id,
    name: row.name,
    permissions: parsePermissions(row.permissions),
    state: row.deactivated_at !== null
      ? "deactivated"
      : row.suspended_at !== null
      ? "suspended"
      : "active",
    date_created: row.date_created,
    deactivated_at: row.deactivated_at,
    suspended_at: row.suspended_at,
    email: row.email,
    role: row.role,
    scope: readScope(row.covers),
  };
}

/** Permissions as they are stored: each once, in one order, separated by blanks. */
export function toWords(granted: readonly Permission[]): string {
  return storedPermissions(granted).join(" ");
}
