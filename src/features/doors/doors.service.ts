import type { RequestContext } from "../../calls/context.ts";
import { actorOf, type Idempotency, idempotentCall } from "../../calls/principal.ts";
import { listDoors } from "./doors.store.ts";
import { changeDoor, createDoor, deleteDoor, type DoorInput } from "./doors.transactions.ts";
import { type Door, showDoor } from "./show-door.ts";

/** The doors of the caller's organisation, by name. */
export async function list(
  { storage: { reader }, principal: { org_id }, clock }: RequestContext,
): Promise<{ data: Door[] }> {
  const now = clock.now();
  return { data: (await listDoors(reader, { org_id })).map((row) => showDoor(row, now)) };
}

/** Sets up a door; see createDoor. */
export function create(
  { storage, principal, clock }: RequestContext,
  door: DoorInput,
  idempotency: Idempotency,
): Promise<Door> {
  const actor = actorOf(principal, clock.now());
  return storage.commit(createDoor, {
    actor,
    door,
    idempotency: idempotentCall(principal, actor.now, idempotency),
  });
}

/** Changes a door; see changeDoor. */
export function update(
  { storage, principal, clock }: RequestContext,
  id: string,
  change: Partial<Pick<DoorInput, "kind" | "silent_minutes">>,
): Promise<Door> {
  return storage.commit(changeDoor, { actor: actorOf(principal, clock.now()), id, change });
}

/** Takes a door away; see deleteDoor. */
export function remove(
  { storage, principal, clock }: RequestContext,
  id: string,
): Promise<{ id: string }> {
  return storage.commit(deleteDoor, { actor: actorOf(principal, clock.now()), id });
}
