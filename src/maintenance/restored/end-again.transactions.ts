import type { Actor } from "../../changes/audit.ts";
import { newestEvent } from "../../changes/audit-events.store.ts";
import { recordAlone, recordChange } from "../../changes/record-change.ts";
import { parsePermissions } from "../../calls/principal.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { revokeToken } from "../../features/people/access-tokens.store.ts";
import { operator } from "../../features/people/operator.transactions.ts";
import { lockOrganisation } from "../../features/people/organisations.store.ts";
import { findPerson, updatePerson } from "../../features/people/people.store.ts";
import {
  changeSuspension,
  deactivateLockedPerson,
} from "../../features/people/people.transactions.ts";
import { deactivateLocked } from "../../features/accounts/deactivate.transactions.ts";
import { removeDeveloperToken } from "../../features/developers/developer-sign-ins.store.ts";
import { lockDeveloper } from "../../features/developers/developers.store.ts";
import { markClosed } from "../../features/keys/one-time-links/one-time-links.store.ts";
import { FOR_GOOD } from "../../features/keys/ending.ts";
import { lockKeyWithOwner } from "../../features/keys/lock-key.transactions.ts";
import { changeEnd, changeLockedKey } from "../../features/keys/key-life.transactions.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { countsOf, type Ending } from "./ending.ts";
import { RESTORED } from "./last-restore.store.ts";
import { endSessions } from "./still-revoked.store.ts";

/** Why something is ended again, for the audit log and for those who look at it. */
const REASON = "the store was put back to a copy from before this";

/**
 * Ends again what a store that was put back calls open, some of it at a time, in its organisation:
 * each where it is not so already. Gives how many of these had to be ended. No one is kept as the
 * last administrator: anyone who runs the server can make another.
 */
export const endAgain = defineTransaction(
  "restored.end-again",
  async (tx, input: { org_id: string; endings: readonly Ending[]; now: number }) => {
    const { org_id, endings, now } = input;
    const actor = operator(org_id, now);
    await lockOrganisation(tx, { org_id });
    let ended = 0;
    for (const one of endings) if (await endOne(tx, actor, one)) ended++;
    return ended;
  },
  { withoutRoom: true },
);

async function endOne(tx: Tx, actor: Actor, one: Ending): Promise<boolean> {
  const { org_id } = actor;
  const at = toTimestamp(actor.now);
  switch (one.of) {
    case "key":
      return await endKey(tx, actor, one);
    case "access token":
      if (!await revokeToken(tx, org_id, one.id, at)) return false;
      await recordChange(tx, actor, { action: "access_token.revoked", object_id: one.id });
      return true;
    case "person":
      return await endPerson(tx, actor, one);
    case "developer": {
      const developer = await lockDeveloper(tx, org_id, one.id);
      if (!developer || developer.inactive) return false;
      await deactivateLocked(tx, actor, developer, { keys: "keep", ending: FOR_GOOD });
      return true;
    }
    case "developer's token": {
      const { id, developer_id } = one;
      if (!await removeDeveloperToken(tx, { org_id, developer_id, id })) return false;
      await recordAlone(tx, actor, {
        action: "developer_token.ended",
        object_id: id,
        detail: { developer_id },
      });
      return true;
    }
    case "one-time link":
      if (!await markClosed(tx, { org_id, id: one.id }, { state: "withdrawn", at })) return false;
      await recordChange(tx, actor, {
        action: "claim.withdrawn",
        object_id: one.id,
        detail: { reason: REASON },
      });
      return true;
  }
}

async function endKey(
  tx: Tx,
  actor: Actor,
  one: Extract<Ending, { of: "key" }>,
): Promise<boolean> {
  const locked = await lockKeyWithOwner(tx, actor.org_id, one.id);
  if (!locked || locked.credential.state === "revoked") return false;
  const { state, expires_at } = locked.credential;
  if (one.what === "expires") {
    if (expires_at !== null && expires_at <= one.expires_at) return false;
    await changeEnd(tx, actor, locked, one.expires_at);
    return true;
  }
  if (one.what === "suspended" && state === "suspended") return false;
  await changeLockedKey(tx, actor, locked, one.what === "revoked" ? "revoke" : "suspend", REASON);
  return true;
}

async function endPerson(
  tx: Tx,
  actor: Actor,
  one: Extract<Ending, { of: "person" }>,
): Promise<boolean> {
  const { org_id } = actor;
  const person = await findPerson(tx, { org_id, id: one.id });
  if (!person || person.deactivated_at !== null) return false;
  if (one.what !== "narrowed") {
    if (one.what === "deactivated") await deactivateLockedPerson(tx, actor, person);
    else if (person.suspended_at !== null) return false;
    else await changeSuspension(tx, actor, one.id, true);
    return true;
  }
  const { permissions, covers } = one;
  if (person.permissions === permissions && person.covers === covers) return false;
  const { name, email } = person;
  // No role has these permissions, or none that is known to.
  await updatePerson(tx, { org_id, id: one.id, name, email, permissions, role: null, covers });
  await recordChange(tx, actor, {
    action: "person.updated",
    object_id: one.id,
    detail: { permissions: parsePermissions(permissions), reason: REASON },
    personal: { "/name": name },
  });
  return true;
}

/** The logged data of a restore. */
export interface RestoreLog {
  /** When the store was restored: a restore is reported once. */
  readonly at: string;
  /** Whether what was ended since is known: else there is none, or some, of it. */
  readonly known: boolean;
  readonly reopen: boolean;
  readonly endings: readonly Ending[];
}

/**
 * Ends all sessions of these organisations and every way to begin one that was made before, unless
 * it was said that all opens again, and tells the audit log of the first organisation.
 */
export const finishRestore = defineTransaction(
  "restored.finish",
  async (
    tx,
    input: { first: string; organisations: readonly string[]; logged: RestoreLog; now: number },
  ) => {
    const { first, organisations, logged: { at, known, reopen, endings }, now } = input;
    await lockOrganisation(tx, { org_id: first });
    const newest = await newestEvent(tx, { org_id: first, ...RESTORED });
    // as: this transaction alone writes it.
    if (newest && (JSON.parse(newest.detail) as { at: string }).at === at) return null;
    if (!reopen) {
      for (const org_id of organisations) {
        for (const end of endSessions) await end(tx, { org_id });
      }
    }
    const detail = { at, known, reopened: reopen, counts: countsOf(endings) };
    await recordAlone(tx, operator(first, now), { ...RESTORED, detail });
    return null;
  },
  { withoutRoom: true },
);
