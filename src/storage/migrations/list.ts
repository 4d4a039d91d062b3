import { migrations0012 } from "./0012-start.ts";
import { migrations0013 } from "./0013-0022.ts";
import { migrations0023 } from "./0023-0033.ts";
import { migrations0034 } from "./0034-0049.ts";
import { migrations0050 } from "./0050-0061.ts";
import { migrations0062 } from "./0062-0080.ts";
import { migrations0081 } from "./0081-0098.ts";
import { migrations0099 } from "./0099-newest.ts";
import type { Migration } from "./migration.ts";

/** All steps, in order. */
export const migrations: readonly Migration[] = [
  ...migrations0012,
  ...migrations0013,
  ...migrations0023,
  ...migrations0034,
  ...migrations0050,
  ...migrations0062,
  ...migrations0081,
  ...migrations0099,
];

/**
 * The oldest code that a store serves once it demands checksums: earlier code would write rows that
 * open nothing. A new store does so from the beginning.
 */
export const CHECKSUMS_DEMANDED = 22;
