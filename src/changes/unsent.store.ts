import { Failure } from "../kernel/failure.ts";
import { send } from "../storage/statement-functions.ts";
import { inserts } from "../storage/table-statements.ts";
import type { AuditLogOutlet, OutletRow } from "../storage/outlet.ts";
import type { Tx } from "../storage/storage.ts";

const insertUnsent = send(inserts("trail_unsent"));

/**
 * If the audit log has a stream, notes in the transaction that writes a row that the stream's
 * destination needs it too: even if this process dies, it will be sent.
 */
export async function keepUnsent(tx: Tx, row: OutletRow, isAction: boolean): Promise<void> {
  if (!tx.outlet) return;
  tx.outlet.add(row, isAction);
  await insertUnsent(tx, { org_id: row.org_id, event_id: row.id, at: row.at });
}

/**
 * That what was done before may be acknowledged again, behind this transaction. Throws
 * `audit_stream_unavailable` where the place takes nothing, and its caller `audit_stream_behind`
 * where it does not get what it lacks.
 */
export function requireRepeatable(tx: Tx): void {
  requireOutlet(tx);
  tx.outlet?.repeats();
}

/** Waits for an answer that was read outside a transaction. */
export async function waitForOutlet(outlet: AuditLogOutlet | undefined): Promise<void> {
  if (outlet && !outlet.takes) throw unavailable();
  await outlet?.take({ rows: [], waits: "always" });
}

/**
 * Throws `audit_stream_unavailable` where the audit log stream takes nothing now, and this is no
 * transaction that is done all the same.
 */
export function requireOutlet(tx: Tx): void {
  if (tx.outlet?.refuses) throw unavailable();
}

function unavailable(): Failure {
  return new Failure("audit_stream_unavailable", { retryAfterSeconds: 1 });
}
