import type { Actor } from "../../../changes/audit.ts";
import { requireNoOlderNode } from "../../../changes/older-nodes.store.ts";
import { recordChange } from "../../../changes/record-change.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { defineTransaction } from "../../../storage/storage.ts";
import { lockGateway } from "../../gateways/gateways.store.ts";
import { isOn } from "./lazy-migration.ts";
import {
  countAwaiting,
  endLazyMigration,
  lockLazyMigration,
  migrationLease,
  noteConfirmed,
  putLazyMigration,
} from "./lazy-migration.store.ts";

/**
 * Has a gateway teach keys until an end, or until another one than before. Throws `not_found`, and
 * `invalid_input` for a gateway that can't teach: one of another kind, and one without a canary, by
 * which alone it is believed that it does not know a key.
 */
export const startLazyMigration = defineTransaction(
  "learning.start",
  async (tx, { actor, gateway_id, ends_at, questions_per_second }: {
    actor: Actor;
    gateway_id: string;
    ends_at: string;
    questions_per_second: number;
  }): Promise<null> => {
    const { org_id, user_id, now } = actor;
    const gateway = await lockGateway(tx, { org_id, id: gateway_id });
    if (!gateway) throw new Failure("not_found");
    await requireNoOlderNode(tx, now, { unknown: "learning", then: "switch it on" });
    if (gateway.kind !== "tyk") throw refused("only a gateway of kind tyk teaches keys");
    if (gateway.state === "ending") throw refused("a gateway whose keys are ended teaches none");
    if (gateway.unconfirmed_since !== null) throw refused("the gateway waits for a person's yes");
    if (gateway.canary === "") {
      const why = gateway.failure === "" ? "it was not reached yet" : gateway.failure;
      throw refused(`the gateway can't be believed: ${why}`);
    }
    const before = await lockLazyMigration(tx, { org_id, gateway_id });
    const at = toTimestamp(now);
    const isRunning = before !== undefined && isOn(before, at);
    await putLazyMigration(tx, {
      org_id,
      gateway_id,
      started_at: isRunning ? before.started_at : at,
      started_by: isRunning ? before.started_by : user_id,
      ends_at,
      questions_per_second,
    });
    const detail = { name: gateway.name, ends_at, questions_per_second };
    await recordChange(tx, actor, { action: "gateway.learning", object_id: gateway_id, detail });
    return null;
  },
);

/** Ends learning now; what was learned stays. Does nothing where it is off. Throws `not_found`. */
export const stopLazyMigration = defineTransaction(
  "learning.stop",
  async (tx, { actor, gateway_id }: { actor: Actor; gateway_id: string }): Promise<null> => {
    const { org_id, now } = actor;
    const gateway = await lockGateway(tx, { org_id, id: gateway_id });
    if (!gateway) throw new Failure("not_found");
    const at = toTimestamp(now);
    if (!isOn(await lockLazyMigration(tx, { org_id, gateway_id }), at)) return null;
    await endLazyMigration(tx, { org_id, gateway_id, now: at });
    const detail = { name: gateway.name };
    const action = "gateway.learning_ended";
    await recordChange(tx, actor, { action, object_id: gateway_id, detail });
    return null;
  },
);

/**
 * A person's yes to keys losing access that wait for it: each is asked about anew. Throws
 * `not_found`, and `precondition_failed` where another number of them waits than was read.
 */
export const confirmLosses = defineTransaction(
  "learning.confirm-losses",
  async (tx, { actor, gateway_id, awaiting }: {
    actor: Actor;
    gateway_id: string;
    awaiting: number;
  }): Promise<null> => {
    const { org_id, now } = actor;
    const gateway = await lockGateway(tx, { org_id, id: gateway_id });
    const place = { org_id, gateway_id };
    const row = gateway && await lockLazyMigration(tx, place);
    if (!row) throw new Failure("not_found");
    const keys = await countAwaiting(tx, { ...place, behind: row.confirmed_at ?? "" });
    if (keys !== awaiting) throw new Failure("precondition_failed");
    await noteConfirmed(tx, { ...place, confirmed_at: toTimestamp(now) });
    const detail = { name: gateway.name, keys };
    const action = "gateway.losses_confirmed";
    await recordChange(tx, actor, { action, object_id: gateway_id, detail });
    return null;
  },
);

function refused(message: string): Failure {
  return new Failure("invalid_input", { message, details: [message] });
}

/** Takes or renews the right to ask anew. False: another node has it. */
export const takeMigrationTurn = defineTransaction(
  "learning.take-turn",
  (tx, { holder, now }: { holder: string; now: number }) => migrationLease.take(tx, holder, now),
);

/** Leaves that right to the others. */
export const leaveMigration = defineTransaction(
  "learning.leave",
  async (tx, { holder }: { holder: string }): Promise<null> => {
    await migrationLease.giveBack(tx, holder);
    return null;
  },
);
