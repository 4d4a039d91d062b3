import type { z } from "zod";
import { fileVersions } from "../../../contract/checking-gateways.ts";
import { callsAMinute } from "./call-minutes.ts";
import type { door } from "./checking-gateways.contract.ts";
import type { DoorRow } from "./checking-gateways.store.ts";
import { isSilent } from "./silent-gateways.ts";

/** A door as callers see it. */
export type Door = z.output<typeof door>;

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
    newer_version: newerOf(row),
    calls_a_minute: callsAMinute(row.minutes, now),
    first_call_at,
    last_call_at,
    date_created: row.created_at,
    created_by,
  };
}

function newerOf({ kind, version }: DoorRow): string | null {
  const newest: string | undefined = Reflect.get(fileVersions, kind);
  const isOlder = newest !== undefined && /^\d{1,9}$/.test(version) &&
    Number(version) < Number(newest);
  return isOlder ? newest : null;
}

function stateOf(row: DoorRow, now: number): Door["state"] {
  if (row.last_call_at === null) return "waiting";
  return isSilent(row, { now, listeningSince: 0 }) ? "silent" : "calling";
}
