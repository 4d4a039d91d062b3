import type { z } from "zod";
import type { door } from "./doors.contract.ts";
import type { DoorRow } from "./doors.store.ts";

/** A door as callers see it. */
export type Door = z.output<typeof door>;

const MINUTE_MS = 60_000;

/** A stored door; `now`: whether it is silent goes by this time, in milliseconds since 1970. */
export function showDoor(row: DoorRow, now: number): Door {
  const { id, name, silent_minutes, version, first_call_at, last_call_at, created_by } = row;
  return {
    id,
    name,
    // as: createDoor wrote it.
    kind: row.kind as Door["kind"],
    silent_minutes,
    state: stateOf(row, now),
    version,
    first_call_at,
    last_call_at,
    date_created: row.created_at,
    created_by,
  };
}

function stateOf({ last_call_at, silent_minutes }: DoorRow, now: number): Door["state"] {
  if (last_call_at === null) return "waiting";
  const isSilent = silent_minutes > 0 &&
    now - Date.parse(last_call_at) > silent_minutes * MINUTE_MS;
  return isSilent ? "silent" : "calling";
}
