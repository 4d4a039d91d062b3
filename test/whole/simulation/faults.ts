import type { Random } from "../../support/random.ts";
import type { DiskCall, DiskFault } from "./disk.ts";

/**
 * What a disk suffers from in a process's life: for a while nothing fits on it, or some of its
 * calls fail.
 */
export const faultKinds = ["none", "none", "none", "full", "write", "sync", "read"] as const;
/** One of them. */
export type FaultKind = typeof faultKinds[number];

/** Whether a call fails; `count` is the number of the call on its disk. */
export type Faults = (call: DiskCall, count: number) => DiskFault | undefined;

/** Failing calls of this kind, from some call after `now` on. */
export function faultsOf(kind: FaultKind, now: number, random: Random): Faults {
  const from = now + random.below(80);
  const to = from + 1 + random.below(40);
  const isWrite = (call: DiskCall) => call === "write" || call === "truncate";
  switch (kind) {
    case "full":
      return (call, n) => n >= from && n < to && call === "write" ? "full" : undefined;
    case "write":
      return (call, n) => isWrite(call) && n > from && random.chance(0.05) ? "io" : undefined;
    case "sync":
      return (call, n) => call === "sync" && n > from && random.chance(0.2) ? "io" : undefined;
    case "read":
      return (call, n) => call === "read" && n > from && random.chance(0.2) ? "io" : undefined;
    case "none":
      return () => undefined;
  }
}
