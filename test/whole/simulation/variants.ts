import type { Storage, Transaction } from "../../../src/storage/storage.ts";
import type { Disk } from "./disk.ts";

/** A way to break a desk, which the simulation must find. */
export interface Variant {
  transactions?(list: readonly Transaction<never, unknown>[]): Transaction<never, unknown>[];
  /** Changes an open desk. */
  desk?(storage: Storage, disk: Disk): void;
}

/** By their names; the first is the desk as it is. */
export const variants: Readonly<Record<string, Variant>> = {
  "as it is": {},
};
