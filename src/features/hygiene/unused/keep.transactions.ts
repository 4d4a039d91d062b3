import type { Actor } from "../../../changes/audit.ts";
import { changedMembers } from "../../../changes/changed-members.ts";
import { type IdempotentCall, once } from "../../../changes/idempotent-answers.ts";
import { personalReason } from "../../../changes/personal.ts";
import { recordChange } from "../../../changes/record-change.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { requireRevision } from "../../../kernel/entity-tag.ts";
import { Failure } from "../../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../../storage/storage.ts";
import { type LockedKey, lockSeenKey } from "../../keys/lock-key.transactions.ts";
import { changeLockedKey } from "../../keys/key-life.transactions.ts";
import { recordKey } from "../../keys/record-key.transactions.ts";
import { restoreLockedKey } from "../../keys/restore-key.transactions.ts";
import { lockPlan } from "../../plans/plans.store.ts";
import { findRule, putRule, revisionOfRule, termsIn } from "./rules.store.ts";
import {
  findScheduledKey,
  keyIn,
  putElsewhere,
  putSchedule,
  removeElsewhere,
  removeSchedule,
  scheduleIn,
} from "./schedules.store.ts";
import { warningIn } from "./own-warning.ts";
import { isInForce, SWITCHED_OFF, type UnusedTerms } from "./unused-rule.ts";

interface Call {
  actor: Actor;
  key_id: string;
  /** The developer whose key it must be; null: anybody's. */
  owner: string | null;
  idempotency: IdempotentCall | null;
}

/**
 * Says that a key is needed: what its schedule has done is undone, so that it opens again what it
 * opened, and its idle time begins anew. Throws `not_found`; `key_suspended` and `key_revoked` of
 * what others did.
 */
export const keepKey = defineTransaction(
  "unused.keep",
  (tx, input: Call & { reason: string }) =>
    once(tx, input.idempotency, async () => {
      const { actor, key_id, reason } = input;
      const { org_id, now } = actor;
      const locked = await requireLocked(tx, input);
      const at = toTimestamp(now);
      const row = await findScheduledKey(tx, { org_id, key_id });
      const schedule = row && scheduleIn(row);
      const isOurs = row && schedule && isInForce(schedule, keyIn(row, SWITCHED_OFF, at));
      const { state } = locked.credential;
      if (state !== "active" && (!isOurs || schedule.step !== state)) {
        throw new Failure(state === "suspended" ? "key_suspended" : "key_revoked");
      }
      if (state === "revoked") {
        await restoreLockedKey(tx, actor, locked, reason);
        await resume(tx, actor, await requireLocked(tx, input), reason);
      } else if (state === "suspended") await resume(tx, actor, locked, reason);
      await putKept(tx, { org_id, key_id, at });
      await recordKey(tx, actor, "credential.kept", locked, {}, personalReason(reason));
      return null;
    }),
);

/**
 * Keeps a key on the request of its developer, who was warned of it: its idle time begins anew.
 * Does nothing without a current warning. Throws `not_found`, and `key_suspended` and `key_revoked`
 * of one that others have to restore.
 */
export const keepByOwner = defineTransaction(
  "unused.keep-by-holder",
  (tx, input: Call & { owner: string }) =>
    once(tx, input.idempotency, async () => {
      const { actor, key_id } = input;
      const { org_id, now } = actor;
      const locked = await requireLocked(tx, input);
      const { state } = locked.credential;
      if (state !== "active") {
        throw new Failure(state === "suspended" ? "key_suspended" : "key_revoked");
      }
      const at = toTimestamp(now);
      const row = await findScheduledKey(tx, { org_id, key_id });
      if (!row || !warningIn(row, SWITCHED_OFF, at)) return null;
      await putKept(tx, { org_id, key_id, at });
      await recordKey(tx, actor, "credential.kept", locked, {}, personalReason(BY_OWNER));
      return null;
    }),
);

const BY_OWNER = "by its holder";

async function putKept(
  tx: Tx,
  { org_id, key_id, at }: { org_id: string; key_id: string; at: string },
): Promise<void> {
  await putSchedule(tx, {
    org_id,
    key_id,
    step: "kept",
    at,
    idle_since: at,
    due_at: null,
    event_id: "",
    sent_at: null,
  });
}

async function resume(
  tx: Tx,
  actor: Actor,
  locked: LockedKey,
  reason: string,
): Promise<void> {
  if (locked.credential.state === "suspended") {
    await changeLockedKey(tx, actor, locked, "resume", reason);
  }
}

async function requireLocked(
  tx: Tx,
  { actor, key_id, owner }: Call,
): Promise<LockedKey> {
  const locked = await lockSeenKey(tx, actor, key_id, owner);
  if (!locked) throw new Failure("not_found");
  return locked;
}

/**
 * Says whether gateways that do not ask Keydesk open for a key; null: no one says. A key that was
 * only found unused leaves its schedule; one that was suspended is resumed by it. Throws
 * `not_found`.
 */
export const sayElsewhere = defineTransaction(
  "unused.say-elsewhere",
  (tx, input: Call & { elsewhere: boolean | null }) =>
    once(tx, input.idempotency, async () => {
      const { actor, key_id, elsewhere } = input;
      const { org_id, now } = actor;
      const locked = await requireLocked(tx, input);
      const row = await findScheduledKey(tx, { org_id, key_id });
      const said = row?.said_elsewhere ?? null;
      const before = said === null ? null : Number(said) === 1;
      if (before === elsewhere) return null;
      const at = toTimestamp(now);
      if (elsewhere === null) await removeElsewhere(tx, { org_id, key_id });
      else {
        const row = { org_id, key_id, said_by: actor.user_id, said_at: at };
        await putElsewhere(tx, { ...row, elsewhere: elsewhere ? 1 : 0 });
      }
      const schedule = row && scheduleIn(row);
      if (schedule?.step === "suspended") {
        await putSchedule(tx, { org_id, key_id, ...schedule, due_at: at });
      } else if (schedule && schedule.step !== "revoked" && schedule.step !== "kept") {
        await removeSchedule(tx, { org_id, key_id });
      }
      await recordKey(tx, actor, "credential.elsewhere_changed", locked, {
        before: { elsewhere: before },
        after: { elsewhere },
      });
      return null;
    }),
);

/**
 * Sets what becomes of a plan's unused keys; the look at them begins anew. Throws `not_found` and
 * `precondition_failed`.
 */
export const setRule = defineTransaction(
  "unused.set-rule",
  async (
    tx,
    { actor, plan, terms, ifMatch }: {
      actor: Actor;
      plan: string;
      terms: UnusedTerms;
      ifMatch: string[] | null;
    },
  ): Promise<{ plan: string; terms: UnusedTerms; updated_at: string; revision: string }> => {
    const { org_id, now } = actor;
    const named = await lockPlan(tx, org_id, plan);
    if (!named) throw new Failure("not_found");
    const { _id: id } = named;
    const before = await findRule(tx, { org_id, plan: id });
    requireRevision(ifMatch, revisionOfRule(id, before));
    // Later than the change before, whatever the clock says.
    const last = before ? Date.parse(before.updated_at) + 1 : now;
    const updated_at = toTimestamp(Math.max(now, last));
    const row = { org_id, plan: id, terms: JSON.stringify(terms), updated_at };
    await putRule(tx, { ...row, place: "", round_at: "" });
    await recordChange(tx, actor, {
      action: "unused_rule.updated",
      object_id: named.id,
      detail: { plan: id, ...changedMembers({ ...termsIn(before) }, { ...terms }) },
      names: { object: named.name },
    });
    return { plan: id, terms, updated_at, revision: revisionOfRule(id, row) };
  },
);
