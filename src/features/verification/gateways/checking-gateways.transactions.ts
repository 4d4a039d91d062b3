import type { Actor } from "../../../changes/audit.ts";
import { type IdempotentCall, once } from "../../../changes/idempotent-answers.ts";
import { recordChange } from "../../../changes/record-change.ts";
import { kindOfRow, storedKind } from "../../../contract/checking-gateways.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { newId } from "../../../kernel/ids.ts";
import { defineTransaction } from "../../../storage/storage.ts";
import {
  type CheckingGatewayRow,
  findCheckingGateway,
  insertCheckingGateway,
  listCheckingGateways,
  lockCheckingGateways,
  MOST_CHECKING_GATEWAYS,
  removeCheckingGateway,
  updateCheckingGateway,
} from "./checking-gateways.store.ts";
import { type CheckingGateway, toCheckingGateway } from "./show-checking-gateway.ts";

/** The input of a new gateway. */
type CheckingGatewayInput = Pick<CheckingGateway, "name" | "kind" | "silent_minutes">;

/** Adds a gateway. Throws `gateway_name_taken` and `too_many_gateways`. */
export const createCheckingGateway = defineTransaction(
  "checking-gateways.create",
  (
    tx,
    { actor, gateway, idempotency }: {
      actor: Actor;
      gateway: CheckingGatewayInput;
      idempotency: IdempotentCall | null;
    },
  ): Promise<CheckingGateway> =>
    once(tx, idempotency, async () => {
      const { org_id, user_id, now } = actor;
      await lockCheckingGateways(tx, { org_id });
      if ((await listCheckingGateways(tx, { org_id })).length >= MOST_CHECKING_GATEWAYS) {
        throw new Failure("too_many_gateways");
      }
      const { name, kind, silent_minutes } = gateway;
      const row: CheckingGatewayRow = {
        org_id,
        id: newId(now),
        name,
        kind: storedKind(kind),
        silent_minutes,
        created_at: toTimestamp(now),
        created_by: user_id,
        version: "",
        first_call_at: null,
        last_call_at: null,
        told_silent_at: null,
        minutes: "",
      };
      if (!await insertCheckingGateway(tx, row)) throw new Failure("gateway_name_taken");
      await recordChange(tx, actor, {
        action: "door.created",
        object_id: row.id,
        detail: { name, kind, silent_minutes },
      });
      return toCheckingGateway(row, now);
    }),
);

/** Changes the product of a gateway, and when it is silent. Throws `not_found`. */
export const changeCheckingGateway = defineTransaction(
  "checking-gateways.change",
  async (tx, { actor, id, change }: {
    actor: Actor;
    id: string;
    change: Partial<Pick<CheckingGatewayInput, "kind" | "silent_minutes">>;
  }): Promise<CheckingGateway> => {
    const { org_id, now } = actor;
    // A concurrent change of it waits.
    await lockCheckingGateways(tx, { org_id });
    const gateway = await findCheckingGateway(tx, { org_id, id });
    if (!gateway) throw new Failure("not_found");
    const { kind = kindOfRow(gateway.kind), silent_minutes = gateway.silent_minutes } = change;
    const set = { org_id, id, kind: storedKind(kind), silent_minutes };
    if (!await updateCheckingGateway(tx, set)) throw new Failure("not_found");
    const detail = { name: gateway.name, kind, silent_minutes };
    await recordChange(tx, actor, { action: "door.updated", object_id: id, detail });
    return toCheckingGateway({ ...gateway, ...set }, now);
  },
);

/** Removes a gateway. Throws `not_found`. */
export const deleteCheckingGateway = defineTransaction(
  "checking-gateways.delete",
  async (tx, { actor, id }: { actor: Actor; id: string }): Promise<{ id: string }> => {
    const { org_id } = actor;
    const gateway = await findCheckingGateway(tx, { org_id, id });
    if (!gateway || !await removeCheckingGateway(tx, { org_id, id })) {
      throw new Failure("not_found");
    }
    await recordChange(tx, actor, {
      action: "door.deleted",
      object_id: id,
      detail: { name: gateway.name },
    });
    return { id };
  },
);
