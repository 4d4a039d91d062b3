import { effectivePermissions, missing, parsePermissions } from "../../calls/principal.ts";
import type { Actor } from "../../changes/audit.ts";
import { type IdempotentCall, once } from "../../changes/idempotent-answers.ts";
import { changedMembers } from "../../changes/changed-members.ts";
import type { Personal } from "../../changes/personal.ts";
import { type Change, recordChange } from "../../changes/record-change.ts";
import { allows, type Permission } from "../../contract/permissions.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { requireRevision, revisionOf } from "../../kernel/entity-tag.ts";
import { Failure } from "../../kernel/failure.ts";
import { newId } from "../../kernel/ids.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { administration, isInForce } from "./access-token.ts";
import { findTokenByHash, insertUser } from "./access.store.ts";
import {
  administratorTokens,
  findAccessToken,
  findPerson,
  lockOrganisation,
  markDeactivated,
  updatePerson,
} from "./people.store.ts";
import { type Person, type PersonRow, showPerson, toWords } from "./person.ts";

/** What a change of people needs to know beside its own input. */
export interface Administration {
  actor: Actor;
  /** The hash of KEYDESK_ADMIN_TOKEN, whose access token the operator alone changes; null where it is not set. */
  operatorHash: string | null;
}

/** Name and permissions as sent. */
export interface PersonInput {
  name: string;
  permissions: Permission[];
}

/** Adds a person. Throws `permission_not_held` for what the caller may not give. */
export const createPerson = defineTransaction(
  "access.create-person",
  async (
    tx,
    input: Administration & { person: PersonInput; idempotency: IdempotentCall | null },
  ): Promise<Person> => {
    const { actor, person } = input;
    const held = await beginAdministration(tx, actor);
    return await once(tx, input.idempotency, async () => {
      requireHeld(held, person.permissions);
      const row: PersonRow = {
        id: newId(actor.now),
        name: person.name,
        permissions: toWords(person.permissions),
        date_created: toTimestamp(actor.now),
        deactivated_at: null,
      };
      const { id, name, permissions, date_created } = row;
      await insertUser(tx, { org_id: actor.org_id, id, name, permissions, date_created });
      await recordChange(tx, actor, {
        action: "person.created",
        object_id: id,
        detail: { permissions: parsePermissions(permissions) },
        personal: { "/name": name },
      });
      return showPerson(row);
    });
  },
);

/** Replaces name and permissions. Throws, beside `not_found`, what the endpoint lists. */
export const replacePerson = defineTransaction(
  "access.update-person",
  async (
    tx,
    input: Administration & { id: string; person: PersonInput; ifMatch: string[] | null },
  ): Promise<Person> => {
    const { actor, id, person } = input;
    const held = await beginAdministration(tx, actor);
    const row = await activePerson(tx, actor.org_id, id, input.ifMatch);
    const before = parsePermissions(row.permissions);
    // Taking away needs no permission of one's own, giving does.
    requireHeld(held, missing(before, person.permissions));
    const permissions = toWords(person.permissions);
    if (permissions !== toWords(before)) await refuseOperators(tx, input, id);
    await keepAdministered(
      tx,
      actor,
      () => updatePerson(tx, { org_id: actor.org_id, id, name: person.name, permissions }),
    );
    const after = { ...row, name: person.name, permissions };
    await recordChange(tx, actor, {
      action: "person.updated",
      object_id: id,
      ...changeOf(row, after),
    });
    return showPerson(after);
  },
);

/** Deactivates a person and revokes all their access tokens, which ends their sessions too. */
export const deactivatePerson = defineTransaction(
  "access.deactivate-person",
  async (
    tx,
    input: Administration & { id: string; ifMatch: string[] | null },
  ): Promise<Person> => {
    const { actor, id } = input;
    await beginAdministration(tx, actor);
    const row = await activePerson(tx, actor.org_id, id, input.ifMatch);
    await refuseOperators(tx, input, id);
    const at = toTimestamp(actor.now);
    await keepAdministered(
      tx,
      actor,
      () => markDeactivated(tx, { org_id: actor.org_id, id, at }),
    );
    await recordChange(tx, actor, {
      action: "person.deactivated",
      object_id: id,
      detail: { before: { state: "active" }, after: { state: "deactivated" } },
      personal: { "/name": row.name },
    });
    return showPerson({ ...row, deactivated_at: at });
  },
);

/**
 * Begins a change of people or access tokens: holds the organisation, and gives what the caller holds at this very
 * moment, not a second ago. Throws `not_authorised` or `access_denied` where that has ended meanwhile.
 */
export async function beginAdministration(tx: Tx, actor: Actor): Promise<Permission[]> {
  await lockOrganisation(tx, actor.org_id);
  const token = await findAccessToken(tx, actor.org_id, actor.token_id);
  if (!token || !isInForce(token, actor.now)) throw new Failure("not_authorised");
  const held = effectivePermissions(token.permissions, token.scope);
  if (!allows(held, "admin")) throw new Failure("access_denied");
  return held;
}

/** Throws `permission_not_held`, naming what is missing. */
export function requireHeld(held: readonly Permission[], given: readonly Permission[]): void {
  const lacking = missing(held, given);
  if (lacking.length === 0) return;
  throw new Failure("permission_not_held", {
    message: `You can't give what you don't hold: ${lacking.join(", ")}.`,
  });
}

/** Runs a change. Throws `last_administrator` where the organisation is administered less well after it. */
export async function keepAdministered(
  tx: Tx,
  { org_id, now }: Actor,
  change: () => Promise<void>,
): Promise<void> {
  const rank = async () =>
    administration(await administratorTokens(tx, org_id, toTimestamp(now)), now);
  const before = await rank();
  await change();
  if (await rank() < before) throw new Failure("last_administrator");
}

/** The person, active and, where that was asked, as the caller has seen them. */
export async function activePerson(
  tx: Tx,
  org_id: string,
  id: string,
  ifMatch: readonly string[] | null = null,
): Promise<PersonRow> {
  const row = await findPerson(tx, org_id, id);
  if (!row) throw new Failure("not_found");
  requireRevision(ifMatch, revisionOf(showPerson(row)));
  if (row.deactivated_at !== null) throw new Failure("person_deactivated");
  return row;
}

async function refuseOperators(
  tx: Tx,
  { actor, operatorHash }: Administration,
  user_id: string,
): Promise<void> {
  const token = operatorHash === null ? undefined : await findTokenByHash(tx, operatorHash);
  if (token?.org_id === actor.org_id && token.user_id === user_id) {
    throw new Failure("operator_credential");
  }
}

/** What was and is of a person: permissions where they changed; the name, which is personal, in any case. */
function changeOf(before: PersonRow, after: PersonRow): Pick<Change, "detail" | "personal"> {
  const permissionsOf = (row: PersonRow) => ({ permissions: parsePermissions(row.permissions) });
  const renamed: Personal = before.name === after.name
    ? {}
    : { "/before/name": before.name, "/after/name": after.name };
  return {
    detail: {
      ...permissionsOf(after),
      ...changedMembers(permissionsOf(before), permissionsOf(after)),
    },
    personal: { "/name": after.name, ...renamed },
  };
}

/** What src/transactions.ts lists. */
export const peopleTransactions = [createPerson, replacePerson, deactivatePerson];
