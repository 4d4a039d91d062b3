import { type Actor, type AuditEvent, noteInAuditLog, recordAudit } from "../changes/audit.ts";
import { defineTransaction } from "../storage/storage.ts";

/** Rows of the audit log that no change writes. */
export interface AuditLogRow {
  actor: Actor;
  event: AuditEvent;
}

/** Writes rows of the audit log that describe no change of the store. */
export const writeAuditLogRows = defineTransaction(
  "trail.write-rows",
  async (tx, input: { rows: AuditLogRow[] }) => {
    for (const { actor, event } of input.rows) await noteInAuditLog(tx, actor, event);
  },
  { withoutRoom: true },
);

/** Writes the row of what a person takes away, before the first of it goes out. */
export const writeExportRow = defineTransaction(
  "trail.write-export-row",
  async (tx, { actor, event }: AuditLogRow) => {
    await recordAudit(tx, actor, event);
  },
  { withoutRoom: true, withoutStream: false },
);
