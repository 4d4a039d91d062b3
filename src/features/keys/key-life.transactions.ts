import type { Actor } from "../../changes/audit.ts";
import { personalReason } from "../../changes/personal.ts";
import { type IdempotentCall, once } from "../../changes/idempotent-answers.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { markState, setExpiry, setQuotaFrom } from "../credentials/credential-life.store.ts";
import { setCredentialPlans } from "../credentials/credentials.store.ts";
import { withKeyPlans, withoutKey } from "../developers/developer.ts";
import { updateDeveloper } from "../developers/developers.store.ts";
import type { References } from "../plans/plan.ts";
import { fitPlans } from "./fit-plans.transactions.ts";
import { type HeldKey, holdKey } from "./hold-key.transactions.ts";
import { keyMoves, requireMove, type StateChange } from "./key.ts";
import { recordKey } from "./record-key.transactions.ts";

/** What every change of a key is called with. */
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
 * Suspends, resumes or revokes. A revoked key leaves its developer's maps, a suspended one stays in them. Throws
 * `not_found` and what requireMove throws.
 */
export const changeState = defineTransaction(
  "keys.change-state",
  (tx, input: KeyCall & { change: StateChange; reason: string }) =>
    once(tx, input.idempotency, async () => {
      const { actor, key_id, change, reason } = input;
      const held = await holdKey(tx, actor.org_id, key_id, input.owner);
      if (!held) throw new Failure("not_found");
      await changeHeldKey(tx, actor, held, change, reason);
      return null;
    }),
);

/** Revokes a key that this transaction holds. Throws `key_revoked` where it is so already. */
export async function endKey(tx: Tx, actor: Actor, held: HeldKey, reason: string): Promise<void> {
  await changeHeldKey(tx, actor, held, "revoke", reason);
}

/** Suspends, resumes or revokes a key that this transaction holds. Throws what requireMove throws. */
export async function changeHeldKey(
  tx: Tx,
  actor: Actor,
  held: HeldKey,
  change: StateChange,
  reason: string,
): Promise<void> {
  const { org_id, now } = actor;
  const { credential, developer } = held;
  const { key_id } = credential;
  requireMove(change, credential, toTimestamp(now));
  const state = keyMoves[change].to;
  if (!await markState(tx, credential, { state, at: toTimestamp(now), reason })) {
    throw new Failure("unavailable");
  }
  if (state === "revoked" && developer) {
    await updateDeveloper(tx, org_id, withoutKey(developer, key_id));
  }
  await recordKey(tx, actor, ACTIONS[change], held, {}, personalReason(reason));
}

/**
 * Gives a key these plans instead of those that it had. Throws `not_found`, `key_revoked`, `unknown_plan` where
 * references are strict, `keyless_plan`, `mixed_auth_types` and `wrong_auth_type`.
 */
export const changePlans = defineTransaction(
  "keys.change-plans",
  (tx, input: KeyCall & { plans: string[]; references: References }) =>
    once(tx, input.idempotency, async () => {
      const { actor, key_id, plans } = input;
      const { org_id } = actor;
      const held = await holdKey(tx, org_id, key_id, input.owner);
      if (!held) throw new Failure("not_found");
      const { credential, developer } = held;
      requireMove("setPlans", credential, toTimestamp(actor.now));
      await fitPlans(tx, org_id, plans, credential.kind, input.references);
      await setCredentialPlans(tx, org_id, key_id, plans);
      // Of a rotated key the maps name the one that took over.
      if (developer && credential.replaced_by === null) {
        await updateDeveloper(tx, org_id, withKeyPlans(developer, key_id, plans));
      }
      await recordKey(tx, actor, "credential.plans_changed", held, { plans });
      return null;
    }),
);

/**
 * Sets when a key ends; null: never. An expired key lives again with a later end, a rotated one must have one.
 * Throws `not_found`, `key_revoked` and `key_rotated`.
 */
export const changeExpiry = defineTransaction(
  "keys.change-expiry",
  (tx, input: KeyCall & { expires_at: string | null }) =>
    once(tx, input.idempotency, async () => {
      const { actor, key_id, expires_at } = input;
      const held = await holdKey(tx, actor.org_id, key_id, input.owner);
      if (!held) throw new Failure("not_found");
      await changeEnd(tx, actor, held, expires_at);
      return null;
    }),
);

/** Sets when a key ends that this transaction holds; null: never. Throws what requireMove throws. */
export async function changeEnd(
  tx: Tx,
  actor: Actor,
  held: HeldKey,
  expires_at: string | null,
): Promise<void> {
  const move = expires_at === null ? "clearExpiry" : "setExpiry";
  requireMove(move, held.credential, toTimestamp(actor.now));
  if (!await setExpiry(tx, held.credential, expires_at)) throw new Failure("unavailable");
  await recordKey(tx, actor, "credential.expiry_changed", held, { expires_at });
}

/**
 * Begins the periods of a key's quotas anew, whole, whatever nodes were given of the former ones. Throws `not_found`
 * and `key_revoked`.
 */
export const resetQuota = defineTransaction(
  "keys.reset-quota",
  (tx, input: KeyCall) =>
    once(tx, input.idempotency, async () => {
      const { actor, key_id } = input;
      const held = await holdKey(tx, actor.org_id, key_id, input.owner);
      if (!held) throw new Failure("not_found");
      if (held.credential.state === "revoked") throw new Failure("key_revoked");
      if (!await setQuotaFrom(tx, held.credential, toTimestamp(actor.now))) {
        throw new Failure("unavailable");
      }
      await recordKey(tx, actor, "credential.quota_reset", held, {});
      return null;
    }),
);
