import type { Finding } from "./log-found.ts";

/** A finding in one line: what is wrong, where in the log, which row, when, and why. */
export function findingText({ wrong, leaf_index, entries, id, at, why }: Finding): string {
  const last = (leaf_index ?? 0) + entries - 1;
  const place = leaf_index === null
    ? "no entry"
    : entries > 1
    ? `entries ${leaf_index} to ${last}`
    : `entry ${leaf_index}`;
  const row = id === "" ? "" : `, row ${id}`;
  return `${wrong}: ${place}${row}${at === "" ? "" : `, ${at}`}: ${why}`;
}
