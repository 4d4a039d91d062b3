import type { Actor } from "../../../changes/audit.ts";
import { type IdempotentCall, once } from "../../../changes/idempotent-answers.ts";
import { recordChange } from "../../../changes/record-change.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { newId } from "../../../kernel/ids.ts";
import { defineTransaction } from "../../../storage/storage.ts";
import {
  type DoorRow,
  findDoor,
  holdDoors,
  insertDoor,
  listDoors,
  MOST_DOORS,
  removeDoor,
  updateDoor,
} from "./checking-gateways.store.ts";
import { type Door, showDoor } from "./show-checking-gateway.ts";

/** What a door is set up with. */
type DoorInput = Pick<Door, "name" | "kind" | "silent_minutes">;

/** Sets up a door. Throws `door_name_taken` and `too_many_doors`. */
export const createDoor = defineTransaction(
  "doors.create",
  (
    tx,
    { actor, door, idempotency }: {
      actor: Actor;
      door: DoorInput;
      idempotency: IdempotentCall | null;
    },
  ): Promise<Door> =>
    once(tx, idempotency, async () => {
      const { org_id, user_id, now } = actor;
      await holdDoors(tx, { org_id });
      if ((await listDoors(tx, { org_id })).length >= MOST_DOORS) {
        throw new Failure("too_many_doors");
      }
      const { name, kind, silent_minutes } = door;
      const row: DoorRow = {
        org_id,
        id: newId(now),
        name,
        kind,
        silent_minutes,
        created_at: toTimestamp(now),
        created_by: user_id,
        version: "",
        first_call_at: null,
        last_call_at: null,
        told_silent_at: null,
        minutes: "",
      };
      if (!await insertDoor(tx, row)) throw new Failure("door_name_taken");
      await recordChange(tx, actor, {
        action: "door.created",
        object_id: row.id,
        detail: { name, kind, silent_minutes },
      });
      return showDoor(row, now);
    }),
);

/** Changes what stands at a door, and when it is silent. Throws `not_found`. */
export const changeDoor = defineTransaction(
  "doors.change",
  async (tx, { actor, id, change }: {
    actor: Actor;
    id: string;
    change: Partial<Pick<DoorInput, "kind" | "silent_minutes">>;
  }): Promise<Door> => {
    const { org_id, now } = actor;
    // Whoever else changes it waits.
    await holdDoors(tx, { org_id });
    const door = await findDoor(tx, { org_id, id });
    if (!door) throw new Failure("not_found");
    const { kind = door.kind, silent_minutes = door.silent_minutes } = change;
    if (!await updateDoor(tx, { org_id, id, kind, silent_minutes })) throw new Failure("not_found");
    const detail = { name: door.name, kind, silent_minutes };
    await recordChange(tx, actor, { action: "door.updated", object_id: id, detail });
    return showDoor({ ...door, kind, silent_minutes }, now);
  },
);

/** Takes a door away. Throws `not_found`. */
export const deleteDoor = defineTransaction(
  "doors.delete",
  async (tx, { actor, id }: { actor: Actor; id: string }): Promise<{ id: string }> => {
    const { org_id } = actor;
    const door = await findDoor(tx, { org_id, id });
    if (!door || !await removeDoor(tx, { org_id, id })) throw new Failure("not_found");
    await recordChange(tx, actor, {
      action: "door.deleted",
      object_id: id,
      detail: { name: door.name },
    });
    return { id };
  },
);
