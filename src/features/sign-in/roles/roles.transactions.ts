import { policiesOf, termsIn } from "../../key-requests/policies.store.ts";
import { missing } from "../../../calls/principal.ts";
import { changedMembers } from "../../../changes/changed-members.ts";
import { type IdempotentCall, once } from "../../../changes/idempotent-answers.ts";
import { recordChange } from "../../../changes/record-change.ts";
import { type Permission, permissions } from "../../../contract/permissions.ts";
import { MOST_ROLES, presetOf, rolePresets } from "../../../contract/roles.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { requireRevision } from "../../../kernel/entity-tag.ts";
import { Failure } from "../../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../../storage/storage.ts";
import { setScope } from "../../people/access-tokens.store.ts";
import { beginWithOperator } from "../../people/operator.transactions.ts";
import {
  type Administration,
  endTemporaryAccessesOf,
  keepAdministered,
  requireNotStronger,
  requirePermissions,
} from "../../people/people.transactions.ts";
import { updatePerson } from "../../people/people.store.ts";
import { endInvitation } from "../../people/person-invitations.transactions.ts";
import { temporaryAccessRulesOf } from "../../people/temporary-access.store.ts";
import { openedRule, openedTemporaryAccess } from "../../people/temporary-access.ts";
import { endTemporaryAccesses } from "../../people/temporary-access.transactions.ts";
import { toWords } from "../../people/person.ts";
import {
  openedRole,
  type OwnRole,
  rolePlace,
  type RoleTerms,
  roleText,
} from "../../people/role.ts";
import {
  findRole,
  insertRole,
  peopleOfRole,
  removeRole,
  rolesOf,
  tokensOfRole,
  updateRole,
} from "../../people/roles.store.ts";
import { usesOf } from "./role-uses.transactions.ts";
import { roleRevision, type RoleView, toRole } from "./role-view.ts";

const UNUSED = { people: 0, access_tokens: 0, identity_providers: 0 };

/**
 * Adds a role. Throws `permission_not_held` for what the caller does not hold, `role_name_taken`,
 * `too_many_roles`.
 */
export const addRole = defineTransaction(
  "roles.add",
  async (
    tx,
    input: Administration & { id: string; terms: RoleTerms; idempotency: IdempotentCall | null },
  ): Promise<RoleView> => {
    const { actor, id } = input;
    const { org_id } = actor;
    const own = await beginWithOperator(tx, actor);
    return await once(tx, input.idempotency, async () => {
      const terms = inOrder(input.terms);
      requirePermissions(own, terms.permissions);
      await requireFreeName(tx, org_id, terms.name, id);
      if ((await rolesOf(tx, { org_id })).length >= MOST_ROLES) throw new Failure("too_many_roles");
      const at = toTimestamp(actor.now);
      const times = { created_at: at, updated_at: at };
      const sealed = tx.sealer.seal(rolePlace(org_id, id), roleText(terms));
      await insertRole(tx, { org_id, id, terms: sealed, ...times });
      await recordChange(tx, actor, {
        action: "role.created",
        object_id: id,
        detail: { ...terms },
      });
      return toRole({ id, ...terms, ...times }, UNUSED);
    });
  },
);

/** People, and access tokens, that the audit log names of a role that was changed, at the most. */
const MOST_NAMED = 1000;

/**
 * Changes a role, and with it what everybody may do who has it: their permissions are written anew,
 * so that every node follows as it follows a change of each. Throws `not_found`, and what the
 * endpoint lists.
 */
export const changeRole = defineTransaction(
  "roles.change",
  async (
    tx,
    input: Administration & { id: string; terms: RoleTerms; ifMatch: string[] | null },
  ): Promise<RoleView> => {
    const { actor, id } = input;
    const { org_id, now } = actor;
    const own = await beginWithOperator(tx, actor);
    const before = await ownRole(tx, input);
    const terms = inOrder(input.terms);
    const raised = missing(before.permissions, terms.permissions);
    requirePermissions(own, raised);
    // The people with the role lose permissions with it.
    const isWeakened = missing(terms.permissions, before.permissions).length > 0;
    if (isWeakened) {
      requireNotStronger(own, before.permissions, "This role");
    }
    await requireFreeName(tx, org_id, terms.name, id);
    const updated_at = toTimestamp(Math.max(now, Date.parse(before.updated_at) + 1));
    const sealed = tx.sealer.seal(rolePlace(org_id, id), roleText(terms));
    await updateRole(tx, { org_id, id, terms: sealed, updated_at });
    // A permission that the role loses is lost by temporary access to it, too.
    await endTemporaryAccesses(
      tx,
      actor,
      "role",
      (row) => {
        const given = openedTemporaryAccess(tx.sealer, row);
        return given?.role === id && missing(terms.permissions, given.permissions).length > 0;
      },
    );
    const people = await peopleOfRole(tx, { org_id, role: id });
    const tokens = await tokensOfRole(tx, { org_id, role: id });
    await keepAdministered(tx, input, () => follow(tx, org_id, id, terms.permissions));
    // A link is for what it was made for: who has an older one is not known.
    if (raised.length > 0) { for (const one of people) await endInvitation(tx, actor, one.id); }
    if (isWeakened) { for (const one of people) await endTemporaryAccessesOf(tx, actor, one.id); }
    const { name, permissions } = before;
    await recordChange(tx, actor, {
      action: "role.updated",
      object_id: id,
      detail: {
        ...terms,
        ...changedMembers({ name, permissions }, { ...terms }),
        people: people.length,
        person_ids: people.map((one) => one.id).slice(0, MOST_NAMED),
        access_tokens: tokens.length,
        access_token_ids: tokens.map((one) => one.id).slice(0, MOST_NAMED),
      },
    });
    const used_by = await usesOf(tx, tx.sealer, { org_id, role: id, now });
    return toRole({ ...before, ...terms, updated_at }, used_by);
  },
  { withoutRoom: true },
);

/** Gives everybody who has a role what it says now. */
async function follow(
  tx: Tx,
  org_id: string,
  role: string,
  granted: readonly Permission[],
): Promise<void> {
  const words = toWords(granted);
  for (const person of await peopleOfRole(tx, { org_id, role })) {
    const { id, name, email, covers } = person;
    await updatePerson(tx, { org_id, id, name, email, covers, role, permissions: words });
  }
  for (const { id } of await tokensOfRole(tx, { org_id, role })) {
    await setScope(tx, { org_id, id, scope: words });
  }
}

/** Removes a role that no one has. Throws `not_found`, and `role_in_use`, telling how many do. */
export const takeAwayRole = defineTransaction(
  "roles.remove",
  async (
    tx,
    input: Administration & { id: string; ifMatch: string[] | null },
  ): Promise<null> => {
    const { actor, id } = input;
    const { org_id, now } = actor;
    await beginWithOperator(tx, actor);
    const { name, permissions } = await ownRole(tx, input);
    const { people, access_tokens, identity_providers } = await usesOf(tx, tx.sealer, {
      org_id,
      role: id,
      now,
    });
    const policies = (await policiesOf(tx, { org_id }))
      .filter((one) => termsIn(one).steps.some((step) => step.role === id));
    const rules = (await temporaryAccessRulesOf(tx, { org_id }))
      .filter((row) => openedRule(tx.sealer, row)?.role === id);
    const users = [
      counted(people, "person", "people"),
      counted(access_tokens, "access token"),
      counted(identity_providers, "identity provider"),
      counted(policies.length, "approval policy", "approval policies"),
      counted(rules.length, "temporary access rule"),
    ].flat();
    if (users.length > 0) {
      throw new Failure("role_in_use", {
        message: `This role is in use by ${users.join(", ")}: give them another one first.`,
        details: users,
      });
    }
    // Those who left keep what they held, as the audit log tells it, and no name that leads
    // nowhere.
    for (const person of await peopleOfRole(tx, { org_id, role: id })) {
      await updatePerson(tx, { org_id, ...person, role: null });
    }
    await removeRole(tx, { org_id, id });
    await recordChange(tx, actor, {
      action: "role.deleted",
      object_id: id,
      detail: { name, permissions },
    });
    return null;
  },
  { withoutRoom: true },
);

function counted(n: number, one: string, many = `${one}s`): string[] {
  return n === 0 ? [] : [`${n} ${n === 1 ? one : many}`];
}

/** A role of the organisation's own, as the caller has seen it. */
async function ownRole(
  tx: Tx,
  { actor: { org_id }, id, ifMatch }: Administration & { id: string; ifMatch: string[] | null },
): Promise<OwnRole> {
  if (presetOf(id)) throw new Failure("role_fixed");
  const row = await findRole(tx, { org_id, id });
  const role = row && openedRole(tx.sealer, row);
  if (!role) throw new Failure("not_found");
  requireRevision(ifMatch, roleRevision(toRole(role, UNUSED)));
  return role;
}

/** Throws `role_name_taken` where another role is called so, in capitals or not. */
async function requireFreeName(tx: Tx, org_id: string, name: string, id: string): Promise<void> {
  const folded = name.toLowerCase();
  const taken = [
    ...rolePresets,
    ...(await rolesOf(tx, { org_id })).flatMap((row) => openedRole(tx.sealer, row) ?? []),
  ].some((one) => one.id !== id && one.name.toLowerCase() === folded);
  if (taken) throw new Failure("role_name_taken");
}

function inOrder({ name, permissions: given }: RoleTerms): RoleTerms {
  return { name, permissions: permissions.filter((one) => given.includes(one)) };
}
