import type { DoorRow } from "./checking-gateways.store.ts";

const MINUTE_MS = 60_000;

/** When doors are looked at. */
export interface DoorLook {
  /** Milliseconds since 1970. */
  now: number;
  /** Since when calls could be heard: while no server ran, no door was silent. */
  listeningSince: number;
}

/** Whether a door that called before has not done so for longer than its minutes. */
export function isSilent(
  { last_call_at, silent_minutes }: DoorRow,
  { now, listeningSince }: DoorLook,
): boolean {
  if (last_call_at === null || silent_minutes === 0) return false;
  return now - Math.max(Date.parse(last_call_at), listeningSince) > silent_minutes * MINUTE_MS;
}

/** What people don't know yet of a door: that it is silent, or that it calls again. */
export function newsOf(door: DoorRow, look: DoorLook): "silent" | "calling" | undefined {
  if (door.told_silent_at === null) return isSilent(door, look) ? "silent" : undefined;
  // Who was silent before a server's start is so after it.
  return isSilent(door, { ...look, listeningSince: 0 }) ? undefined : "calling";
}
