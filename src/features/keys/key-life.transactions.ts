import type { Actor } from "../../changes/audit.ts";
import { personalReason } from "../../changes/personal.ts";
import { type IdempotentCall, once } from "../../changes/idempotent-answers.ts";
import { invalidate } from "../../changes/invalidation.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { keysOfQuota, lockKey, markState, setExpiry, setQuotaFrom } from "./key-life.store.ts";
import { setPlansOfKey } from "./keys.store.ts";
import { sealKept } from "./ended-key.ts";
import { insertEndedKey } from "./ended-keys.store.ts";
import { type Ending, FOR_GOOD } from "./ending.ts";
import { isKeptApart } from "./former-keys.transactions.ts";
import { passRevokeLimit } from "./revoke-limit.transactions.ts";
import { withKeyPlans, withoutKey } from "../developers/developer.ts";
import { keyMapsOf } from "../developers/key-maps.ts";
import { updateDeveloper } from "../developers/developers.store.ts";
import type { References } from "../plans/plan.ts";
import { refuseDirect } from "./issue-key.transactions.ts";
import { fitPlans } from "./fit-plans.transactions.ts";
import {
  chooseEnd,
  endByPlansNow,
  type EndingKey,
  endingPlans,
  grantEnd,
  isFollowing,
} from "./granted-end.transactions.ts";
import { type LockedKey, lockSeenKey } from "./lock-key.transactions.ts";
import { endToCome, keyMoves, requireMove, type StateChange } from "./key.ts";
import { isOwnSuspension, noteOwnSuspension } from "./own-suspensions.store.ts";
import { recordKey } from "./record-key.transactions.ts";
import { putTimedSuspension } from "./timed-suspensions.store.ts";

/** The common input of changes of a key. */
interface KeyCall {
  actor: Actor;
  key_id: string;
  /** The developer whose key it must be; null: anybody's. */
  owner: string | null;
  idempotency: IdempotentCall | null;
}

const ACTIONS = {
  suspend: "credential.suspended",
  resume: "credential.resumed",
  revoke: "credential.revoked",
} as const satisfies Record<StateChange, string>;

/**
 * Suspends, resumes or revokes. A revoked key leaves its developer's maps, a suspended one stays in
 * them. `byOwner`: by its own developer, who resumes only what they suspended. Throws `not_found`,
 * `too_many_revoked`, `key_suspended_by_others` and what requireMove throws.
 */
export const changeState = defineTransaction(
  "keys.change-state",
  (
    tx,
    input: KeyCall & {
      change: StateChange;
      reason: string;
      ending: Ending;
      byOwner?: boolean;
      /** When a suspension ends by itself; absent: it does not. */
      resume_at?: string;
    },
  ) =>
    once(tx, input.idempotency, async () => {
      const { actor, key_id, change, reason, ending, byOwner = false, resume_at } = input;
      const { org_id } = actor;
      const locked = await lockSeenKey(tx, actor, key_id, input.owner);
      if (!locked) throw new Failure("not_found");
      const isResumed = change === "resume" && locked.credential.state === "suspended";
      if (byOwner && isResumed && !await isOwnSuspension(tx, { org_id, key_id })) {
        throw new Failure("key_suspended_by_others");
      }
      await changeLockedKey(tx, actor, locked, change, reason, ending);
      if (byOwner && change === "suspend") await noteOwnSuspension(tx, { org_id, key_id });
      if (change === "suspend" && resume_at !== undefined) {
        const suspended_at = toTimestamp(actor.now);
        await putTimedSuspension(tx, { org_id, key_id, suspended_at, resume_at });
      }
      return null;
    }),
  { withoutRoom: true },
);

/**
 * Revokes a key that this transaction holds. Throws `key_revoked` where it is so already, and
 * `too_many_revoked`.
 */
export async function endKey(
  tx: Tx,
  actor: Actor,
  locked: LockedKey,
  { reason, ending }: { reason: string; ending: Ending },
): Promise<void> {
  await changeLockedKey(tx, actor, locked, "revoke", reason, ending);
}

/**
 * Suspends, resumes or revokes a key that this transaction holds. Throws what requireMove and
 * passRevokeLimit throw.
 */
export async function changeLockedKey(
  tx: Tx,
  actor: Actor,
  locked: LockedKey,
  change: StateChange,
  reason: string,
  ending: Ending = FOR_GOOD,
): Promise<void> {
  const { org_id, now } = actor;
  const { credential: key, developer } = locked;
  const { key_id } = key;
  requireMove(change, key, toTimestamp(now));
  const undo_until = change === "revoke" ? ending.undo_until : null;
  if (change === "revoke") await passRevokeLimit(tx, actor, ending.at_most, 1);
  if (undo_until !== null) await keepEnded(tx, actor, locked, undo_until);
  const state = keyMoves[change].to;
  if (!await markState(tx, key, { state, at: toTimestamp(now), reason })) {
    throw new Failure("unavailable");
  }
  if (state === "revoked" && developer) {
    await updateDeveloper(tx, org_id, withoutKey(developer, key_id));
  }
  const detail = undo_until === null ? {} : { undo_until };
  await recordKey(tx, actor, ACTIONS[change], locked, detail, personalReason(reason));
}

/** Keeps the data by which the key can be restored. */
async function keepEnded(
  tx: Tx,
  { org_id, user_id }: Actor,
  { credential: key, developer }: LockedKey,
  until: string,
): Promise<void> {
  const { key_id, developer_id, state, stored: { state_reason: reason } } = key;
  if (state === "revoked") return;
  const maps = developer ? keyMapsOf(developer, [key_id]).get(key_id) ?? null : null;
  const kept = sealKept(tx.sealer, org_id, key_id, { state, reason, until, maps });
  const row = { key_id, developer_id, deletion: "", ended_by: user_id, kept, expires_at: until };
  await insertEndedKey(tx, { org_id, ...row });
}

/**
 * Gives a key these plans instead of those that it had, and the end that a person chose with them,
 * if any did. Throws `invalid_input` for an end that is over, `not_found`, `key_revoked`,
 * `unknown_plan` where references are strict, `keyless_plan`, `mixed_auth_types`,
 * `wrong_auth_type`, and `access_denied` for plans outside of the actor's scope.
 */
export const changePlans = defineTransaction(
  "keys.change-plans",
  (tx, input: KeyCall & { plans: string[]; references: References; expires_at?: string }) =>
    once(tx, input.idempotency, async () => {
      const { actor, key_id, plans, references } = input;
      const expires_at = endToCome(input.expires_at, actor.now);
      const locked = await lockSeenKey(tx, actor, key_id, input.owner);
      if (!locked) throw new Failure("not_found");
      await replacePlans(tx, actor, locked, plans, references);
      if (expires_at !== undefined) {
        const again = await lockSeenKey(tx, actor, key_id, input.owner);
        if (!again) throw new Failure("unavailable");
        await changeEnd(tx, actor, again, expires_at);
      }
      return null;
    }),
);

/**
 * Gives a key that this transaction holds these plans; its end follows them, see followPlans.
 * `former`: the end that it is given instead, as a change is taken back. Throws as changePlans
 * does.
 */
export async function replacePlans(
  tx: Tx,
  actor: Actor,
  locked: LockedKey,
  plans: readonly string[],
  references: References | "known",
  former?: FormerEnd,
): Promise<void> {
  const { org_id } = actor;
  const { credential: key, developer, coverage } = locked;
  const { key_id } = key;
  requireMove("setPlans", key, toTimestamp(actor.now));
  if (coverage && !coverage.holds(plans)) throw new Failure("access_denied");
  await fitPlans(tx, org_id, plans, key.kind, references);
  const added = plans.filter((plan) => !key.plans.includes(plan));
  if (!former) await refuseDirect(tx, org_id, added);
  await setPlansOfKey(tx, org_id, key_id, plans);
  const end = former
    ? await putBack(tx, locked, former)
    : await followPlans(tx, actor, locked, plans);
  // Of a rotated key the maps name the one that took over.
  const isNamed = developer && key.replaced_by === null;
  if (isNamed && !await isKeptApart(tx, org_id, developer, key_id)) {
    await updateDeveloper(tx, org_id, withKeyPlans(developer, key_id, plans));
  }
  const detail = { plans, ...end === undefined ? {} : { expires_at: end } };
  await recordKey(tx, actor, "credential.plans_changed", locked, detail);
}

/** The end that a key had before a change. */
export type FormerEnd = EndingKey;

async function putBack(tx: Tx, locked: LockedKey, { expires_at, end_chosen_at }: FormerEnd) {
  const row = await lockKey(tx, locked.credential.org_id, locked.credential.key_id);
  if (!row || !await setExpiry(tx, row, { expires_at, at: end_chosen_at })) {
    throw new Failure("unavailable");
  }
  return expires_at;
}

/**
 * Has the end of a key follow its plans, which were just changed: from this decision on it lives as
 * long as the shortest of their lives says. An end that a person chose stays, and so does one that
 * is over, and that of a key whose place another one has taken. Gives the end; undefined: it stays.
 * `isDecided`: as grantEnd takes it.
 */
export async function followPlans(
  tx: Tx,
  actor: Actor,
  { credential: before }: Pick<LockedKey, "credential">,
  plans: readonly string[],
  isDecided = true,
): Promise<string | null | undefined> {
  const { org_id, now } = actor;
  if (!isFollowing(before, plans, now)) return undefined;
  const named = await endingPlans(tx, org_id, plans);
  const grant = { org_id, developer_id: before.developer_id, plans: named, now };
  const expires_at = await grantEnd(tx, grant, { isDecided });
  if (expires_at === before.expires_at) return undefined;
  const row = await lockKey(tx, org_id, before.key_id);
  if (!row || !await setExpiry(tx, row, { expires_at, at: null })) {
    throw new Failure("unavailable");
  }
  return expires_at;
}

/**
 * Sets when a key ends; null: never. An expired key lives again with a later end, a rotated one
 * must have one. Throws `not_found`, `key_revoked` and `key_rotated`.
 */
export const changeExpiry = defineTransaction(
  "keys.change-expiry",
  (tx, input: KeyCall & { expires_at: string | null }) =>
    once(tx, input.idempotency, async () => {
      const { actor, key_id, expires_at } = input;
      const locked = await lockSeenKey(tx, actor, key_id, input.owner);
      if (!locked) throw new Failure("not_found");
      await changeEnd(tx, actor, locked, expires_at);
      return null;
    }),
);

/**
 * Sets when a key ends that this transaction holds; null: never. Throws what requireMove throws.
 */
export async function changeEnd(
  tx: Tx,
  actor: Actor,
  locked: LockedKey,
  expires_at: string | null,
): Promise<void> {
  const move = expires_at === null ? "clearExpiry" : "setExpiry";
  const at = toTimestamp(actor.now);
  const { credential: key, credential: { org_id, developer_id } } = locked;
  requireMove(move, key, at);
  if (!await setExpiry(tx, key, { expires_at, at })) throw new Failure("unavailable");
  if (key.replaced_by === null) {
    const plans = await endingPlans(tx, org_id, key.plans);
    await chooseEnd(tx, { org_id, developer_id, plans, now: actor.now }, expires_at);
  }
  await recordKey(tx, actor, "credential.expiry_changed", locked, { expires_at });
}

/**
 * Gives a key that this transaction holds the end that its plans say by now, counted from its
 * grant; at once where that is over. Throws `key_end_unchanged` where a person chose its end, it
 * has ended, another key has taken its place, or its end is so already.
 */
export async function followLives(tx: Tx, actor: Actor, locked: LockedKey): Promise<void> {
  const { org_id, now } = actor;
  const { credential: key, credential: { developer_id, expires_at: before } } = locked;
  const at = toTimestamp(now);
  requireMove("setExpiry", key, at);
  if (
    key.end_chosen_at !== null || key.replaced_by !== null ||
    (before !== null && before <= at)
  ) throw new Failure("key_end_unchanged");
  const plans = await endingPlans(tx, org_id, key.plans);
  const grant = { org_id, developer_id, plans, now };
  const end = await endByPlansNow(tx, grant, key.stored.issued_at);
  const expires_at = end !== null && end < at ? at : end;
  if (expires_at === before) throw new Failure("key_end_unchanged");
  if (!await setExpiry(tx, key, { expires_at, at: null })) throw new Failure("unavailable");
  await recordKey(tx, actor, "credential.expiry_changed", locked, { expires_at });
}

/** Gives a key that this transaction holds the end again that it had before a change. */
export async function restoreEnd(
  tx: Tx,
  actor: Actor,
  locked: LockedKey,
  { expires_at, end_chosen_at }: FormerEnd,
): Promise<void> {
  const { org_id, now } = actor;
  const { credential: key, credential: { developer_id } } = locked;
  requireMove(expires_at === null ? "clearExpiry" : "setExpiry", key, toTimestamp(now));
  if (!await setExpiry(tx, key, { expires_at, at: end_chosen_at })) {
    throw new Failure("unavailable");
  }
  if (key.replaced_by === null) {
    const plans = await endingPlans(tx, org_id, key.plans);
    await chooseEnd(tx, { org_id, developer_id, plans, now }, expires_at);
  }
  await recordKey(tx, actor, "credential.expiry_changed", locked, { expires_at });
}

/**
 * Begins the periods of a key's quotas anew, whole, whatever nodes were given of the former ones.
 * Throws `not_found` and `key_revoked`.
 */
export const resetQuota = defineTransaction(
  "keys.reset-quota",
  (tx, input: KeyCall) =>
    once(tx, input.idempotency, async () => {
      const { actor, key_id } = input;
      const locked = await lockSeenKey(tx, actor, key_id, input.owner);
      if (!locked) throw new Failure("not_found");
      if (locked.credential.state === "revoked") throw new Failure("key_revoked");
      await beginQuotas(tx, locked, toTimestamp(actor.now));
      await recordKey(tx, actor, "credential.quota_reset", locked, {});
      return null;
    }),
);

/** Begins the quotas of a key anew, and of those that are counted with it. */
async function beginQuotas(tx: Tx, { credential: key }: LockedKey, at: string): Promise<void> {
  const { org_id, developer_id, key_id } = key;
  const quota_key = key.quota_key ?? key_id;
  for (const id of await keysOfQuota(tx, { org_id, developer_id, quota_key })) {
    const row = await lockKey(tx, org_id, id);
    if (row && !await setQuotaFrom(tx, row, at)) throw new Failure("unavailable");
    if (id !== key_id) {
      await invalidate(tx, { org_id, kind: "key", object_id: id, now: Date.parse(at) });
    }
  }
}
