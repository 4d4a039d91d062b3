import { type Actor, recordAudit } from "../audit/audit.ts";
import type { Tx } from "../storage/storage.ts";
import { addToOutbox } from "./outbox.ts";

/** What was changed. `detail` is for the audit trail: small, public within the organisation, never a secret. */
export interface Change {
  /** `<object>.<what happened>`; the outbox's topic too. */
  action: string;
  object: string;
  object_id: string;
  detail?: Readonly<Record<string, unknown>>;
}

/** The audit row and the outbox row of one change, in the transaction that makes it. */
export async function recordChange(tx: Tx, actor: Actor, change: Change): Promise<void> {
  await recordAudit(tx, actor, change);
  await addToOutbox(tx, actor, { topic: change.action, object_id: change.object_id });
}
