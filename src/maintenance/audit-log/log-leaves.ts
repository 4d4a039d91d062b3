import { blocksOf, type LogLeaves } from "../../../packages/audit-log/log-tree.ts";
import { TimeSlices } from "../../kernel/time-slices.ts";
import type { Connection } from "../../storage/storage.ts";
import { leafHashes } from "./inclusion.store.ts";
import type { AuditLogLog } from "./logs.store.ts";

/** A stored log as its tree is computed from it. `store`: the one that `reader` reads. */
export function leavesOf(reader: Connection, store: object, log: AuditLogLog): LogLeaves {
  const { org_id } = log;
  const slices = new TimeSlices();
  return {
    ...log,
    hashes: (range) => leafHashes(reader, { org_id, ...range }),
    blocks: blocksOf(store, org_id),
    pause: () => slices.pause(),
  };
}
