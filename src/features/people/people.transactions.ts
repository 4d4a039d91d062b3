import { effectivePermissions, missing, parsePermissions } from "../../calls/principal.ts";
import type { Actor } from "../../changes/audit.ts";
import { changedMembers } from "../../changes/changed-members.ts";
import { type IdempotentCall, once } from "../../changes/idempotent-answers.ts";
import type { Personal } from "../../changes/personal.ts";
import { type Change, recordChange } from "../../changes/record-change.ts";
import { readScope, type Scope } from "../../contract/scope.ts";
import { allows, type Permission } from "../../contract/permissions.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { requireRevision, revisionOf } from "../../kernel/entity-tag.ts";
import { Failure } from "../../kernel/failure.ts";
import { newId } from "../../kernel/ids.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { forgetOwn } from "./views.store.ts";
import { type AccessTokenRow, administration, isInForce, isSignInRow } from "./access-token.ts";
import { administratorTokens, findAccessToken } from "./access-tokens.store.ts";
import { openedRule } from "./temporary-access.ts";
import { temporaryAccessRulesOf } from "./temporary-access.store.ts";
import { endSessionsOf } from "./end-session.transactions.ts";
import { endTemporaryAccesses } from "./temporary-access.transactions.ts";
import { type Given, grantedBy, storedScope } from "./granted.transactions.ts";
import { lockOrganisation } from "./organisations.store.ts";
import {
  peopleWithCodes,
  removeOneTimeSecret,
  removeRecoveryCodes,
} from "./one-time-codes.store.ts";
import { removePasskeysOf } from "./passkeys.store.ts";
import {
  findPerson,
  insertUser,
  markDeactivated,
  setSuspended,
  updatePerson,
} from "./people.store.ts";
import { removePersonInvitation } from "./person-invitations.store.ts";
import { endInvitation, endInvitationsBy } from "./person-invitations.transactions.ts";
import { type Person, type PersonRow, toPerson, toWords } from "./person.ts";
import { findSecondFactorRule, findTokensRule } from "./sign-in-rules.store.ts";

/** The context of a change of people beside its own input. */
export interface Administration {
  actor: Actor;
  /** How long a new access token lives at the most, in milliseconds; null: for ever. */
  longestMs: number | null;
  /** The host of passkeys that open something now; "": none can. */
  passkeyHost: string;
}

/** A person as sent: permissions, or a role. */
export interface PersonInput extends Given {
  name: string;
  /** Absent: it stays as it is; "": there is none. */
  email?: string | undefined;
  /** The scope in which they see and decide; absent: it stays as it is. */
  scope?: Scope | "everything" | undefined;
}

/** A person as kept answers of `Idempotency-Key` have them: the scope by its stored name. */
type KeptPerson = Omit<Person, "scope"> & { covers: Person["scope"] };

/** Adds a person. Throws `permission_not_held` for what the caller may not give. */
export const createPerson = defineTransaction(
  "access.create-person",
  async (
    tx,
    input: Administration & { person: PersonInput; idempotency: IdempotentCall | null },
  ): Promise<KeptPerson> => {
    const { actor, person } = input;
    const own = await beginAdministration(tx, actor);
    return await once(tx, input.idempotency, async () => {
      const granted = await grantedBy(tx, actor.org_id, person);
      requirePermissions(own, granted.permissions);
      const row: PersonRow = {
        id: newId(actor.now),
        name: person.name,
        permissions: toWords(granted.permissions),
        date_created: toTimestamp(actor.now),
        deactivated_at: null,
        suspended_at: null,
        email: person.email || null,
        role: granted.role,
        covers: await storedScope(tx, actor, person.scope ?? "everything"),
      };
      const { deactivated_at: _, suspended_at: __, ...fresh } = row;
      const { id, name, email } = row;
      await insertUser(tx, { org_id: actor.org_id, ...fresh });
      await recordChange(tx, actor, {
        action: "person.created",
        object_id: id,
        detail: grantDetail(row),
        personal: { "/name": name, ...email === null ? {} : { "/email": email } },
      });
      const { scope, ...rest } = toPerson(row);
      return { ...rest, covers: scope };
    });
  },
);

/** Replaces what is set of a person. Throws, beside `not_found`, what the endpoint lists. */
export const replacePerson = defineTransaction(
  "access.update-person",
  async (
    tx,
    input: Administration & { id: string; person: PersonInput; ifMatch: string[] | null },
  ): Promise<Person> => {
    const { actor, id, person } = input;
    const own = await beginAdministration(tx, actor);
    const row = await activePerson(tx, actor.org_id, id, input.ifMatch);
    const before = parsePermissions(row.permissions);
    const granted = await grantedBy(tx, actor.org_id, person);
    const covers = person.scope === undefined
      ? row.covers
      : await storedScope(tx, actor, person.scope);
    // With another scope it is another permission, of which no one held anything before; steps of
    // approvals go by the role.
    const isOther = covers !== row.covers || granted.role !== row.role;
    const given = isOther ? granted.permissions : missing(before, granted.permissions);
    requirePermissions(own, given);
    const permissions = toWords(granted.permissions);
    const email = person.email === undefined ? row.email : person.email || null;
    // Everyone may correct a name or add permissions that they have. No one may weaken a person
    // with more permissions, or read their notifications.
    const isWeakened = isOther || missing(granted.permissions, before).length > 0;
    if (isWeakened || email !== row.email) requireNotStronger(own, before);
    if (email !== row.email) await requireNoTemporaryAccessRule(tx, own, actor, id);
    const set = { name: person.name, permissions, email, role: granted.role, covers };
    let unassigned = 0;
    await keepAdministered(tx, input, async () => {
      unassigned = await updatePerson(tx, { org_id: actor.org_id, id, ...set });
    });
    if (isWeakened) await endTemporaryAccessesOf(tx, actor, id);
    // A link is for what it was made for, and for where it went: who has an older one is not known.
    if (given.length > 0 || email !== row.email) await endInvitation(tx, actor, id);
    const after = { ...row, ...set };
    const { detail, personal } = changeOf(row, after);
    await recordChange(tx, actor, {
      action: "person.updated",
      object_id: id,
      detail: { ...detail, ...leftBy(unassigned) },
      personal,
    });
    return toPerson(after);
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
    const own = await beginAdministration(tx, actor);
    const row = await activePerson(tx, actor.org_id, id, input.ifMatch);
    requireNotStronger(own, parsePermissions(row.permissions));
    return await deactivateLockedPerson(
      tx,
      actor,
      row,
      (change) => keepAdministered(tx, input, change),
    );
  },
  { withoutRoom: true },
);

/**
 * Deactivates an active person in an organisation that is held, with all that they sign in by.
 * `within` runs the change itself; absent: whoever else administers is not looked at.
 */
export async function deactivateLockedPerson(
  tx: Tx,
  actor: Actor,
  row: PersonRow,
  within: (change: () => Promise<void>) => Promise<void> = (change) => change(),
): Promise<Person> {
  const { id } = row;
  const at = toTimestamp(actor.now);
  let unassigned = 0;
  await within(async () => {
    unassigned = await markDeactivated(tx, { org_id: actor.org_id, id, at });
  });
  const owner = { org_id: actor.org_id, user_id: id };
  await removePasskeysOf(tx, owner);
  await removeRecoveryCodes(tx, owner);
  await removeOneTimeSecret(tx, owner);
  await removePersonInvitation(tx, { org_id: actor.org_id, id });
  await endInvitationsBy(tx, actor, id);
  await endTemporaryAccessesOf(tx, actor, id);
  await forgetOwn(tx, actor.org_id, id);
  await recordChange(tx, actor, {
    action: "person.deactivated",
    object_id: id,
    detail: {
      before: { state: "active" },
      after: { state: "deactivated" },
      ...leftBy(unassigned),
    },
    personal: { "/name": row.name },
  });
  return toPerson({ ...row, deactivated_at: at });
}

/**
 * Suspends all access tokens of a person at once and ends their sessions, or lets the access tokens
 * go on. Throws
 * `person_suspended` or `person_not_suspended` where it is so already, and what the endpoints list.
 */
export const suspendPerson = defineTransaction(
  "access.suspend-person",
  async (tx, input: Administration & { id: string; suspended: boolean }): Promise<Person> => {
    const { actor, id, suspended } = input;
    const own = await beginAdministration(tx, actor);
    const row = await activePerson(tx, actor.org_id, id);
    requireNotStronger(own, parsePermissions(row.permissions));
    let person: Person | undefined;
    await keepAdministered(tx, input, async () => {
      person = await changeSuspension(tx, actor, id, suspended);
    });
    if (!person) throw new Error("the change above sets it");
    return person;
  },
  { withoutRoom: true },
);

/**
 * Suspends a person or lifts that, in an organisation that is held. Throws what suspendPerson
 * throws of the person.
 */
export async function changeSuspension(
  tx: Tx,
  actor: Actor,
  id: string,
  suspended: boolean,
): Promise<Person> {
  const row = await activePerson(tx, actor.org_id, id);
  if (suspended === (row.suspended_at !== null)) {
    throw new Failure(suspended ? "person_suspended" : "person_not_suspended");
  }
  const suspended_at = suspended ? toTimestamp(actor.now) : null;
  await setSuspended(tx, { org_id: actor.org_id, id, suspended_at });
  if (suspended) await endInvitationsBy(tx, actor, id);
  if (suspended) await endTemporaryAccessesOf(tx, actor, id);
  // For good: anyone who goes on signs in anew.
  if (suspended) await endSessionsOf(tx, actor, id, "suspended");
  await recordChange(tx, actor, {
    action: suspended ? "person.suspended" : "person.resumed",
    object_id: id,
    detail: { name: row.name },
  });
  return toPerson({ ...row, suspended_at });
}

/** Ends the temporary accesses of a person with fewer permissions than before. */
export async function endTemporaryAccessesOf(tx: Tx, actor: Actor, id: string): Promise<void> {
  await endTemporaryAccesses(tx, actor, "person", (row) => row.person_id === id);
}

/**
 * Begins a change of people or access tokens: holds the organisation, and gives what the caller
 * holds at this very moment, not a second ago. Throws `not_authorised` or `access_denied` where
 * that has ended meanwhile.
 */
export async function beginAdministration(tx: Tx, actor: Actor): Promise<Permission[]> {
  await lockOrganisation(tx, { org_id: actor.org_id });
  const token = await findAccessToken(tx, { org_id: actor.org_id, id: actor.token_id });
  if (!token || !isInForce(token, actor.now)) throw new Failure("not_authorised");
  const own = effectivePermissions(token.permissions, token.scope);
  // People and settings are outside of every scope.
  if (!allows(own, "admin") || token.covers !== null) throw new Failure("access_denied");
  return own;
}

/** Throws `permission_not_held`, naming what is missing. */
export function requirePermissions(own: readonly Permission[], given: readonly Permission[]): void {
  const lacking = missing(own, given);
  if (lacking.length === 0) return;
  throw new Failure("permission_not_held", {
    message: `You can't give what you don't hold: ${lacking.join(", ")}.`,
  });
}

/** Throws `person_holds_more` where anyone who is to be weakened holds what the caller does not. */
export function requireNotStronger(
  own: readonly Permission[],
  theirs: readonly Permission[],
  who = "This person",
): void {
  const beyond = missing(own, theirs);
  if (beyond.length === 0) return;
  throw new Failure("person_holds_more", {
    message: `${who} holds more than you do: ${beyond.join(", ")}.`,
  });
}

/**
 * Before a way in is made for a person, or led elsewhere: throws `person_holds_more` where a rule
 * of temporary access could give them, or have them give, what the caller does not hold. The owner
 * of the credential has that, too.
 */
export async function requireNoTemporaryAccessRule(
  tx: Tx,
  own: readonly Permission[],
  { org_id, user_id }: Actor,
  person_id: string,
): Promise<void> {
  if (person_id === user_id) return;
  for (const row of await temporaryAccessRulesOf(tx, { org_id })) {
    const rule = openedRule(tx.sealer, row);
    if (!rule || ![...rule.people, ...rule.seconds].includes(person_id)) continue;
    requireNotStronger(own, rule.permissions, "By a rule of temporary access this person");
  }
}

/**
 * Runs a change. Throws `last_administrator` where the organisation is administered less well after
 * it.
 */
export async function keepAdministered(
  tx: Tx,
  { actor: { org_id, now }, longestMs, passkeyHost }: Administration,
  change: () => Promise<void>,
): Promise<void> {
  const rank = async () => {
    const able = await administrators(tx, { org_id, now, passkeyHost });
    return administration(able, now, longestMs === null);
  };
  const before = await rank();
  await change();
  if (await rank() < before) throw new Failure("last_administrator");
}

/**
 * By what an organisation is administered now. If people may not sign in by an access token, one
 * that programs go on with is no administrator; where a second factor is asked for, one of a person
 * without one-time codes is none.
 */
export async function administrators(
  tx: Tx,
  { org_id, now, passkeyHost }: { org_id: string; now: number; passkeyHost: string },
): Promise<AccessTokenRow[]> {
  const at = { org_id, now: toTimestamp(now), rp_id: passkeyHost };
  const able = await administratorTokens(tx, at);
  if (await findTokensRule(tx, { org_id }) === 0) return able.filter(isSignInRow);
  if (await findSecondFactorRule(tx, { org_id }) !== 1) return able;
  const people = new Set(await peopleWithCodes(tx, { org_id }));
  return able.filter((row) => isSignInRow(row) || people.has(row.user_id));
}

/** The person, active and, where that was asked, as the caller has seen them. */
export async function activePerson(
  tx: Tx,
  org_id: string,
  id: string,
  ifMatch: readonly string[] | null = null,
): Promise<PersonRow> {
  const row = await findPerson(tx, { org_id, id });
  if (!row) throw new Failure("not_found");
  requireRevision(ifMatch, revisionOf(toPerson(row)));
  if (row.deactivated_at !== null) throw new Failure("person_deactivated");
  return row;
}

/** The audit log's count of key requests without an assignee since a person left. */
function leftBy(unassigned: number): { unassigned?: number } {
  return unassigned === 0 ? {} : { unassigned };
}

/** The audit log's data of a person's grant. */
export function grantDetail(row: Pick<PersonRow, "permissions" | "role" | "covers">) {
  return {
    permissions: parsePermissions(row.permissions),
    ...row.role === null ? {} : { role: row.role },
    ...row.covers === null ? {} : { covers: readScope(row.covers) },
  };
}

/**
 * The previous and present data of a person: permissions if they changed; the name, which is
 * personal, in any case.
 */
function changeOf(before: PersonRow, after: PersonRow): Pick<Change, "detail" | "personal"> {
  const renamed: Personal = before.name === after.name
    ? {}
    : { "/before/name": before.name, "/after/name": after.name };
  const moved: Personal = before.email === after.email
    ? {}
    : { "/before/email": before.email ?? "", "/after/email": after.email ?? "" };
  return {
    detail: {
      ...grantDetail(after),
      ...changedMembers(grantDetail(before), grantDetail(after)),
    },
    personal: { "/name": after.name, ...renamed, ...moved },
  };
}
