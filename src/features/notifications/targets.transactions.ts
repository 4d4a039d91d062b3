import { type Actor, recordAudit } from "../../changes/audit.ts";
import { type IdempotentCall, once } from "../../changes/idempotent-answers.ts";
import { countTargets, drawPosition, hasMailTarget } from "../../changes/outbox.store.ts";
import { recordChange } from "../../changes/record-change.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import type { SealedPlace } from "../../kernel/sealing/sealer.ts";
import { newId } from "../../kernel/ids.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { dropLines, DROPPED } from "./deliveries.store.ts";
import {
  insertTarget,
  lockTarget,
  removeTarget as removeRow,
  type TargetChange,
  type TargetRow,
  updateTarget,
} from "./targets.store.ts";
import type { MailConfig } from "./mail-config.ts";
import { showTarget } from "./show-target.ts";

/** What of a target its owner writes. */
export interface TargetInput {
  kind: TargetRow["kind"];
  name: string;
  topics: readonly string[];
  /** What its kind needs. */
  config: Readonly<{ url?: string; template: string; mail?: MailConfig }>;
}

/** The secrets that sign: the newest, and the one before the last rotation, or none. */
export interface Secrets {
  current: string;
  old: string | null;
}

/** Where a target's secrets are sealed. */
export function placeOfSecrets({ org_id, id }: { org_id: string; id: string }): SealedPlace {
  return { table: "delivery_targets", org_id, id, column: "secrets" };
}

/**
 * Makes a target, which is told of what changes from now on. Its secret stands in this answer and
 * nowhere else.
 */
export const createTarget = defineTransaction(
  "deliveries.create-target",
  (
    tx,
    input: {
      actor: Actor;
      target: TargetInput;
      secret: string;
      idempotency: IdempotentCall | null;
    },
  ) =>
    once(tx, input.idempotency, async () => {
      const { actor, target: { kind, name, topics, config }, secret } = input;
      requireConfig(kind, config);
      const { org_id } = actor;
      const id = newId(actor.now);
      const at = toTimestamp(actor.now);
      await countTargets(tx, org_id, 1);
      if (kind === "mail" && await hasMailTarget(tx, { org_id })) {
        throw new Failure("invalid_input", {
          message: "This organisation has a target of mails already: change that one.",
        });
      }
      const secrets: Secrets = { current: secret, old: null };
      const row: TargetRow = {
        org_id,
        id,
        kind,
        name,
        config: JSON.stringify(config),
        topics: JSON.stringify(topics),
        secrets: kind === "mail"
          ? null
          : tx.sealer.seal(placeOfSecrets({ org_id, id }), JSON.stringify(secrets)),
        old_secret_until: null,
        state: "active",
        state_reason: "",
        state_changed_at: at,
        starts_behind: await drawPosition(tx, org_id),
        failing_since: null,
        failures: 0,
        wake_by: null,
        created_at: at,
      };
      await insertTarget(tx, row);
      const detail = { kind, name, topics: topics.join(" ") };
      await recordChange(tx, actor, { action: "target.created", object_id: id, detail });
      return { ...showTarget(row, actor.now), secret: kind === "mail" ? "" : secret };
    }),
);

/** Names a target of the caller's organisation. */
export interface OfTarget {
  actor: Actor;
  id: string;
}

/** Replaces what the owner of a target writes. Throws `not_found`. */
export const replaceTarget = defineTransaction(
  "deliveries.replace-target",
  async (tx, { actor, id, target }: OfTarget & { target: Omit<TargetInput, "kind"> }) => {
    const { name, topics, config } = target;
    return await change(tx, { actor, id }, "updated", (row) => {
      requireConfig(row.kind, config);
      return {
        change: { name, topics: JSON.stringify(topics), config: JSON.stringify(config) },
        detail: { name, topics: topics.join(" ") },
      };
    });
  },
);

/** Throws `invalid_input` where a target of this kind could not be told of anything so. */
function requireConfig(kind: TargetRow["kind"], { url, mail }: TargetInput["config"]): void {
  if (kind === "webhook" && url === undefined) {
    throw new Failure("invalid_input", { details: ["url: expected the URL of the webhook"] });
  }
  if (kind === "webhook" ? mail !== undefined : url !== undefined) {
    const wrong = kind === "webhook" ? "mail" : "url";
    throw new Failure("invalid_input", { details: [`${wrong}: a target of ${kind}s has none`] });
  }
}

/**
 * Sends a target nothing any more, until it is resumed. Pausing twice changes nothing. Throws
 * `not_found`.
 */
export const pauseTarget = defineTransaction(
  "deliveries.pause-target",
  (tx, input: OfTarget) =>
    change(tx, input, "paused", ({ state }) =>
      state === "paused" ? undefined : {
        change: {
          state: "paused",
          state_reason: "by hand",
          state_changed_at: toTimestamp(input.actor.now),
        },
      }),
);

/**
 * Goes on with a paused target: what waits is tried anew, for as long as if it were new. Throws
 * `not_found`.
 */
export const resumeTarget = defineTransaction(
  "deliveries.resume-target",
  (tx, input: OfTarget) =>
    change(tx, input, "resumed", ({ state }) =>
      state === "active" ? undefined : {
        change: {
          state: "active",
          state_reason: "",
          failing_since: null,
          failures: 0,
          state_changed_at: toTimestamp(input.actor.now),
        },
      }),
);

/** Lets a fresh secret sign, and the old one beside it for `overlapMs`. Throws `not_found`. */
export const rotateSecret = defineTransaction(
  "deliveries.rotate-secret",
  (
    tx,
    input: OfTarget & {
      secret: string;
      overlapMs: number;
      idempotency: IdempotentCall | null;
    },
  ) =>
    once(tx, input.idempotency, async () => {
      const { actor, secret, overlapMs } = input;
      const until = toTimestamp(actor.now + overlapMs);
      const shown = await change(tx, input, "secret_rotated", (row) => {
        if (row.kind === "mail") {
          throw new Failure("invalid_input", { message: "A target of mails has no secret." });
        }
        const secrets: Secrets = { current: secret, old: currentOf(tx, row) };
        return {
          change: {
            secrets: tx.sealer.seal(placeOfSecrets(row), JSON.stringify(secrets)),
            old_secret_until: until,
          },
          detail: { old_until: until },
        };
      });
      return { ...shown, secret };
    }),
);

function currentOf(tx: Tx, row: TargetRow): string | null {
  const place = placeOfSecrets(row);
  if (row.secrets === null || !tx.sealer.canOpen(place, row.secrets)) return null;
  // as: every transaction here seals this.
  return (JSON.parse(tx.sealer.open(place, row.secrets)) as Secrets).current;
}

/**
 * Removes a target and what waits for it, a batch at a time: to be repeated until it says that it
 * is done. `dropped`: how many went before. What was delivered stays in the lists. Throws
 * `not_found`.
 */
export const removeTarget = defineTransaction(
  "deliveries.remove-target",
  async (tx, { actor, id, dropped }: OfTarget & { dropped: number }) => {
    const { org_id } = actor;
    const row = await lockTarget(tx, { org_id, id });
    if (!row) throw new Failure("not_found");
    const n = await dropLines(tx, org_id, id);
    if (n === DROPPED) {
      const state_changed_at = toTimestamp(actor.now);
      await updateTarget(tx, row, { state: "paused", state_reason: "removed", state_changed_at });
      return { done: false, dropped: dropped + n };
    }
    await removeRow(tx, { org_id, id });
    await countTargets(tx, org_id, -1);
    const detail = { name: row.name, dropped: dropped + n };
    await recordChange(tx, actor, { action: "target.deleted", object_id: id, detail });
    return { done: true, dropped: dropped + n };
  },
);

/** Says in the audit log that a target was sent a test. Throws `not_found` where it is gone. */
export const noteTest = defineTransaction(
  "deliveries.note-test",
  async (tx, { actor, id, ok, status }: OfTarget & { ok: boolean; status: number }) => {
    if (!await lockTarget(tx, { org_id: actor.org_id, id })) throw new Failure("not_found");
    const event = { action: "target.tested", object: "target", object_id: id };
    await recordAudit(tx, actor, { ...event, detail: { ok, status } });
    return null;
  },
);

/** Changes a target; undefined: there is nothing to change, and nothing is told. */
async function change(
  tx: Tx,
  { actor, id }: OfTarget,
  verb: string,
  of: (row: TargetRow) =>
    | { change: Partial<TargetChange>; detail?: Readonly<Record<string, unknown>> }
    | undefined,
) {
  const row = await lockTarget(tx, { org_id: actor.org_id, id });
  if (!row) throw new Failure("not_found");
  const wanted = of(row);
  if (!wanted) return showTarget(row, actor.now);
  const after = await updateTarget(tx, row, wanted.change);
  const action = `target.${verb}`;
  await recordChange(tx, actor, { action, object_id: id, detail: wanted.detail });
  return showTarget(after, actor.now);
}
