import { type Actor, type AuditEvent, noteInTrail, recordAudit } from "../changes/audit.ts";
import { defineTransaction } from "../storage/storage.ts";

/** What nothing else writes to the trail: no change stands behind it. */
export interface TrailRow {
  actor: Actor;
  event: AuditEvent;
}

/** Writes rows of the trail that describe no change of the store. */
export const writeTrailRows = defineTransaction(
  "trail.write-rows",
  async (tx, input: { rows: TrailRow[] }) => {
    for (const { actor, event } of input.rows) await noteInTrail(tx, actor, event);
  },
  { withoutRoom: true },
);

/** Writes the row of what somebody takes away, before the first of it goes out. */
export const writeExportRow = defineTransaction(
  "trail.write-export-row",
  async (tx, { actor, event }: TrailRow) => {
    await recordAudit(tx, actor, event);
  },
  { withoutRoom: true, withoutSink: false },
);
