import type { CheckingGatewayRow } from "./checking-gateways.store.ts";

const MINUTE_MS = 60_000;

/** When gateways are looked at. */
export interface SilenceLook {
  /** Milliseconds since 1970. */
  now: number;
  /** Since when calls could be heard: while no server ran, no gateway was silent. */
  listeningSince: number;
}

/** Whether a gateway that called before has not done so for longer than its minutes. */
export function isSilent(
  { last_call_at, silent_minutes }: CheckingGatewayRow,
  { now, listeningSince }: SilenceLook,
): boolean {
  if (last_call_at === null || silent_minutes === 0) return false;
  return now - Math.max(Date.parse(last_call_at), listeningSince) > silent_minutes * MINUTE_MS;
}

/** The news about a gateway: that it is silent, or that it calls again. */
export function newsOf(
  gateway: CheckingGatewayRow,
  look: SilenceLook,
): "silent" | "calling" | undefined {
  if (gateway.told_silent_at === null) return isSilent(gateway, look) ? "silent" : undefined;
  // A gateway that was silent before a server's start is so after it.
  return isSilent(gateway, { ...look, listeningSince: 0 }) ? undefined : "calling";
}
