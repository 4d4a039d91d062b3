import { storedActions } from "../../contract/former-names.ts";
import { type Actor, recordAudit } from "../../changes/audit.ts";
import { type IdempotentCall, once } from "../../changes/idempotent-answers.ts";
import { countChannels, drawPosition, hasMailChannel } from "../../changes/outbox.store.ts";
import { recordChange } from "../../changes/record-change.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import type { SealedPlace } from "../../kernel/sealing/sealer.ts";
import { newId } from "../../kernel/ids.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { dropLines, DROPPED } from "./deliveries.store.ts";
import {
  type ChannelChange,
  type ChannelRow,
  insertChannel,
  lockChannel,
  removeChannel as removeRow,
  updateChannel,
} from "./channels.store.ts";
import type { MailConfig } from "./mail-config.ts";
import { toChannel } from "./show-channel.ts";

/** The settings of a channel that its owner writes. */
export interface ChannelInput {
  kind: ChannelRow["kind"];
  name: string;
  topics: readonly string[];
  /** The settings of its kind. */
  config: Readonly<{ url?: string; template: string; mail?: MailConfig }>;
}

/** The secrets that sign: the newest, and the one before the last rotation, or none. */
export interface Secrets {
  current: string;
  old: string | null;
}

/** The sealing context of a channel's secrets. */
export function placeOfSecrets({ org_id, id }: { org_id: string; id: string }): SealedPlace {
  return { table: "delivery_targets", org_id, id, column: "secrets" };
}

/**
 * Makes a channel, which gets the messages of changes from now on. Its secret is in this answer and
 * nowhere else.
 */
export const createChannel = defineTransaction(
  "deliveries.create-channel",
  (
    tx,
    input: {
      actor: Actor;
      channel: ChannelInput;
      secret: string;
      idempotency: IdempotentCall | null;
    },
  ) =>
    once(tx, input.idempotency, async () => {
      const { actor, channel: { kind, name, topics, config }, secret } = input;
      requireConfig(kind, config);
      const { org_id } = actor;
      const id = newId(actor.now);
      const at = toTimestamp(actor.now);
      await countChannels(tx, org_id, 1);
      if (kind === "mail" && await hasMailChannel(tx, { org_id })) {
        throw new Failure("invalid_input", {
          message: "This organisation has a mail channel already: change that one.",
        });
      }
      const secrets: Secrets = { current: secret, old: null };
      const row: ChannelRow = {
        org_id,
        id,
        kind,
        name,
        config: JSON.stringify(config),
        topics: storedPatterns(topics),
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
      await insertChannel(tx, row);
      const detail = { kind, name, topics: topics.join(" ") };
      await recordChange(tx, actor, { action: "target.created", object_id: id, detail });
      return { ...toChannel(row, actor.now), secret: kind === "mail" ? "" : secret };
    }),
);

/** Names a channel of the caller's organisation. */
export interface OfChannel {
  actor: Actor;
  id: string;
}

/** Replaces what the owner of a channel writes. Throws `not_found`. */
export const replaceChannel = defineTransaction(
  "deliveries.replace-channel",
  async (tx, { actor, id, channel }: OfChannel & { channel: Omit<ChannelInput, "kind"> }) => {
    const { name, topics, config } = channel;
    return await change(tx, { actor, id }, "updated", (row) => {
      requireConfig(row.kind, config);
      return {
        change: { name, topics: storedPatterns(topics), config: JSON.stringify(config) },
        detail: { name, topics: topics.join(" ") },
      };
    });
  },
);

/** Throws `invalid_input` if a channel of this kind can't send such messages. */
function requireConfig(kind: ChannelRow["kind"], { url, mail }: ChannelInput["config"]): void {
  if (kind === "webhook" && url === undefined) {
    throw new Failure("invalid_input", { details: ["url: expected the URL of the webhook"] });
  }
  if (kind === "webhook" ? mail !== undefined : url !== undefined) {
    const wrong = kind === "webhook" ? "mail" : "url";
    throw new Failure("invalid_input", { details: [`${wrong}: a channel of ${kind}s has none`] });
  }
}

/**
 * Sends a channel nothing any more, until it is resumed. Pausing twice changes nothing. Throws
 * `not_found`.
 */
export const pauseChannel = defineTransaction(
  "deliveries.pause-channel",
  (tx, input: OfChannel) =>
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
 * Goes on with a paused channel: what waits is tried anew, for as long as if it were new. Throws
 * `not_found`.
 */
export const resumeChannel = defineTransaction(
  "deliveries.resume-channel",
  (tx, input: OfChannel) =>
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
    input: OfChannel & {
      secret: string;
      overlapMs: number;
      idempotency: IdempotentCall | null;
    },
  ) =>
    once(tx, input.idempotency, async () => {
      const { actor, secret, overlapMs } = input;
      const until = toTimestamp(actor.now + overlapMs);
      const view = await change(tx, input, "secret_rotated", (row) => {
        if (row.kind === "mail") {
          throw new Failure("invalid_input", { message: "A mail channel has no secret." });
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
      return { ...view, secret };
    }),
);

function currentOf(tx: Tx, row: ChannelRow): string | null {
  const place = placeOfSecrets(row);
  if (row.secrets === null || !tx.sealer.canOpen(place, row.secrets)) return null;
  // as: every transaction here seals this.
  return (JSON.parse(tx.sealer.open(place, row.secrets)) as Secrets).current;
}

/**
 * Removes a channel and what waits for it, a batch at a time: to be repeated until it says that it
 * is done. `dropped`: how many went before. Finished deliveries stay in the lists. Throws
 * `not_found`.
 */
export const removeChannel = defineTransaction(
  "deliveries.remove-channel",
  async (tx, { actor, id, dropped }: OfChannel & { dropped: number }) => {
    const { org_id } = actor;
    const row = await lockChannel(tx, { org_id, id });
    if (!row) throw new Failure("not_found");
    const n = await dropLines(tx, org_id, id);
    if (n === DROPPED) {
      const state_changed_at = toTimestamp(actor.now);
      await updateChannel(tx, row, { state: "paused", state_reason: "removed", state_changed_at });
      return { done: false, dropped: dropped + n };
    }
    await removeRow(tx, { org_id, id });
    await countChannels(tx, org_id, -1);
    const detail = { name: row.name, dropped: dropped + n };
    await recordChange(tx, actor, { action: "target.deleted", object_id: id, detail });
    return { done: true, dropped: dropped + n };
  },
);

/** Says in the audit log that a channel was sent a test. Throws `not_found` where it is gone. */
export const noteTest = defineTransaction(
  "deliveries.note-test",
  async (tx, { actor, id, ok, status }: OfChannel & { ok: boolean; status: number }) => {
    if (!await lockChannel(tx, { org_id: actor.org_id, id })) throw new Failure("not_found");
    const event = { action: "target.tested", object: "target", object_id: id };
    await recordAudit(tx, actor, { ...event, detail: { ok, status } });
    return null;
  },
);

/** Changes a channel; undefined: nothing changes, and nothing is recorded. */
async function change(
  tx: Tx,
  { actor, id }: OfChannel,
  verb: string,
  of: (row: ChannelRow) =>
    | { change: Partial<ChannelChange>; detail?: Readonly<Record<string, unknown>> }
    | undefined,
) {
  const row = await lockChannel(tx, { org_id: actor.org_id, id });
  if (!row) throw new Failure("not_found");
  const wanted = of(row);
  if (!wanted) return toChannel(row, actor.now);
  const after = await updateChannel(tx, row, wanted.change);
  const action = `target.${verb}`;
  await recordChange(tx, actor, { action, object_id: id, detail: wanted.detail });
  return toChannel(after, actor.now);
}

/**
 * Patterns as rows have them: under today's names, and under those that nodes of the build before
 * know, so that they go on to notify while both serve.
 */
function storedPatterns(topics: readonly string[]): string {
  return JSON.stringify([...new Set(topics.flatMap(storedActions))]);
}
