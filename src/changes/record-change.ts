import type { Tx } from "../storage/storage.ts";
import { type Actor, recordAudit } from "./audit.ts";
import { addToOutbox } from "./outbox.ts";

/** What was changed. `detail` is for the audit trail: small, public within the organisation, never a secret. */
export interface Change {
  /** `<object>.<what happened>`; the outbox's topic too. */
  action: string;
  /** Only where the action begins with something else. */
  object?: string;
  object_id: string;
  detail?: Readonly<Record<string, unknown>> | undefined;
}

/** The audit row and the outbox row of one change, in the transaction that makes it. */
export async function recordChange(tx: Tx, actor: Actor, change: Change): Promise<void> {
  const { action, object = action.slice(0, action.indexOf(".")), object_id, detail } = change;
  await recordAudit(tx, actor, { action, object, object_id, detail });
  await addToOutbox(tx, actor, { topic: action, object_id });
}
