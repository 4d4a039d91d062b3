import type { z } from "zod";
import type { Scope } from "../../../contract/scope.ts";
import { meanings, withinScope } from "../../../contract/permission-meanings.ts";
import { allows, type Permission, permissions } from "../../../contract/permissions.ts";
import { presetOf } from "../../../contract/roles.ts";
import { Failure } from "../../../kernel/failure.ts";
import type { Sealer } from "../../../kernel/sealing/sealer.ts";
import type { Connection } from "../../../storage/storage.ts";
import { findPerson } from "../../people/people.store.ts";
import { type Person, toPerson } from "../../people/person.ts";
import { openedRole } from "../../people/role.ts";
import { findRole } from "../../people/roles.store.ts";
import type { personPermissions } from "./person-permissions.contract.ts";

type PersonPermissions = z.output<typeof personPermissions>;

/** The permissions of a person, and their sources. Throws `not_found`. */
export async function permissionsOf(
  db: Connection,
  sealer: Sealer,
  { org_id, id }: { org_id: string; id: string },
): Promise<PersonPermissions> {
  const row = await findPerson(db, { org_id, id });
  if (!row) throw new Failure("not_found");
  const person = toPerson(row);
  const { role, scope, state } = person;
  const own = role === null ? undefined : await findRole(db, { org_id, id: role });
  const name = role === null
    ? null
    : presetOf(role)?.name ?? (own && openedRole(sealer, own)?.name) ?? role;
  const can = permissions.filter((one) => allows(person.permissions, one)).map((permission) => ({
    permission,
    sentence: sentenceOf(permission, person.permissions, name),
    open: state === "active" && (scope === null || withinScope.includes(permission)),
  }));
  return { person_id: id, role, scope, can, limits: limitsOf(person) };
}

function sentenceOf(
  permission: Permission,
  permissions: readonly Permission[],
  role: string | null,
): string {
  const may = `May ${meanings[permission]}`;
  if (!permissions.includes(permission)) {
    const by = permissions.find((one) => one !== permission && allows([one], permission));
    return `${may}: the permission ${by} includes it.`;
  }
  return role === null
    ? `${may}: the permission ${permission} was given by itself.`
    : `${may}: the role ${role} gives ${permission}.`;
}

function limitsOf({ state, suspended_at, deactivated_at, scope }: Person): string[] {
  return [
    ...state === "suspended" ? [`Suspended since ${suspended_at}: all of it is closed.`] : [],
    ...state === "deactivated" ? [`Left at ${deactivated_at}: all of it is closed.`] : [],
    ...scope === null ? [] : [
      `Sees ${
        scopeWords(scope)
      }, and what is of these alone: key requests, keys, what developers have of them, and their use.`,
      "Decides those key requests and changes those keys. A key of another plan besides is not seen.",
      "All else is closed by this scope, but their own account.",
    ],
  ];
}

function scopeWords({ plans, apis, tags }: Scope): string {
  return [
    ...plans.length === 0 ? [] : [`the plans ${plans.join(", ")}`],
    ...apis.length === 0 ? [] : [`plans that open nothing but the APIs ${apis.join(", ")}`],
    ...tags.length === 0 ? [] : [`plans with one of the tags ${tags.join(", ")}`],
  ].join("; ");
}
