import { type Permission, readPermissions, storedPermissions } from "../../contract/permissions.ts";
import type { SealedPlace, Sealer } from "../../kernel/sealing/sealer.ts";

/** The settings of a role of an organisation's own. */
export interface RoleTerms {
  name: string;
  permissions: Permission[];
}

/** A role of an organisation's own that could be read. */
export interface OwnRole extends RoleTerms {
  id: string;
  created_at: string;
  updated_at: string;
}

/** The sealing context of a role's terms. */
export function rolePlace(org_id: string, id: string): SealedPlace {
  return { table: "roles", org_id, id, column: "terms" };
}

/** A stored role, opened; undefined: it was changed in the store, or its key is lost. */
export function openedRole(
  sealer: Sealer,
  row: { org_id: string; id: string; terms: string | null; created_at: string; updated_at: string },
): OwnRole | undefined {
  const { org_id, id, terms, created_at, updated_at } = row;
  const place = rolePlace(org_id, id);
  if (terms === null || !sealer.canOpen(place, terms)) return undefined;
  // as: the transactions of roles write it, and no one else can seal.
  const { name, permissions } = JSON.parse(sealer.open(place, terms)) as RoleTerms;
  return { name, permissions: readPermissions(permissions), id, created_at, updated_at };
}

/** The text that is sealed of a role. */
export function roleText({ name, permissions }: RoleTerms): string {
  return JSON.stringify({ name, permissions: storedPermissions(permissions) });
}
