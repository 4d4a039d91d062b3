/**
 * A canary is a key of Keydesk's own at a gateway. One is there permanently: while it is found, a
 * 404 for another key is believed. Others are made, used and revoked, one a minute: how long each
 * took to become valid and invalid is how long any key takes.
 */
import type { StoredRow } from "../../storage/schema.ts";
import type { GatewayRow } from "./gateway.ts";
import { FETCHED, mapOf } from "./hashes/map-settings.ts";

/** A run as it is stored. */
export type CanaryRow = StoredRow<"canary_runs">;

/** How often a gateway is tried so. */
export const EVERY_MS = 60_000;
/** For how long runs are kept, which bounds their number. */
export const KEPT_MS = 24 * 60 * 60 * 1000;
/** The time after which a key counts as not accepted, or not refused. */
export const LONGEST_MS = 15_000;
/** The times that are summed up. */
export const SUMMED_MS = 60 * 60 * 1000;
/** Of a run that did not open, or did not shut. */
export const NEVER = -1;

/**
 * Whether a gateway can be tried by a key. A proxy that reads a file or fetches its map says to no
 * one when it has.
 */
export function canBeTried(gateway: Pick<GatewayRow, "map">): boolean {
  const map = mapOf(gateway);
  return !map || map.socket !== "" && map.socket !== FETCHED;
}

/** Half of these times are not longer; null: half of them and more never came. */
export function medianMs(times: readonly number[]): number | null {
  const sorted = times.map((ms) => ms === NEVER ? Infinity : ms).toSorted((a, b) => a - b);
  const median = sorted[Math.floor((sorted.length - 1) / 2)];
  return median === undefined || median === Infinity ? null : median;
}
