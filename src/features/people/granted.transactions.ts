import type { Actor } from "../../changes/audit.ts";
import { requireNoOlderNode } from "../../changes/older-nodes.store.ts";
import { type Scope, scopeText } from "../../contract/scope.ts";
import type { Permission } from "../../contract/permissions.ts";
import { presetOf } from "../../contract/roles.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Tx } from "../../storage/storage.ts";
import { toWords } from "./person.ts";
import { openedRole } from "./role.ts";
import { findRole } from "./roles.store.ts";

/** The grant of a person: permissions one by one, or a role with its permissions. */
export interface Given {
  permissions?: Permission[] | undefined;
  /** The id of a role, in the place of permissions. */
  role?: string | undefined;
}

/** The permissions that were given, and the role that says them; null: none does. */
export interface Granted {
  permissions: Permission[];
  role: string | null;
}

/**
 * The permissions of what is given now. Throws `unknown_role`, and `invalid_input` for other
 * permissions than those of the role beside it.
 */
export async function grantedBy(tx: Tx, org_id: string, given: Given): Promise<Granted> {
  const { role, permissions } = given;
  if (role === undefined) return { permissions: permissions ?? [], role: null };
  const found = await permissionsOfRole(tx, org_id, role);
  if (!found) throw new Failure("unknown_role");
  if (permissions && toWords(permissions) !== toWords(found)) {
    const message = "permissions: expected those of the role, or none beside it";
    throw new Failure("invalid_input", { message, details: [message] });
  }
  return { permissions: found, role };
}

/** The present permissions of a role; undefined: there is none of this id, or it can't be read. */
export async function permissionsOfRole(
  tx: Tx,
  org_id: string,
  id: string,
): Promise<Permission[] | undefined> {
  const preset = presetOf(id);
  if (preset) return [...preset.permissions];
  const row = await findRole(tx, { org_id, id });
  return row && openedRole(tx.sealer, row)?.permissions;
}

/** A scope as it is stored. Throws `unavailable` while a node serves that would not heed it. */
export async function storedScope(
  tx: Tx,
  { now }: Actor,
  scope: Scope | "everything",
): Promise<string | null> {
  if (scope === "everything") return null;
  await requireNoOlderNode(tx, now, {
    unknown: "scopes of people",
    then: "give a scope",
  });
  return scopeText(scope);
}
