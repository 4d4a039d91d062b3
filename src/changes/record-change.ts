import type { Tx } from "../storage/storage.ts";
import { type Actor, recordAudit } from "./audit.ts";
import { noteConfigChange } from "./config-changes.ts";
import type { EventNames } from "./event-names.ts";
import { addToOutbox } from "./outbox.ts";
import type { Personal } from "./personal.ts";

/** One change. `detail`, `personal` and `names` are for the audit log; see AuditEvent. */
export interface Change {
  /** `<object>.<what happened>`; the outbox's topic too. */
  action: string;
  /** Only where the action begins with something else. */
  object?: string;
  object_id: string;
  detail?: Readonly<Record<string, unknown>> | undefined;
  personal?: Personal | undefined;
  names?: EventNames | undefined;
}

/** The audit row alone: no one is notified of the change. */
export async function recordAlone(tx: Tx, actor: Actor, change: Change): Promise<void> {
  const { action, object = action.slice(0, action.indexOf(".")), object_id } = change;
  const { detail, personal, names } = change;
  await noteConfigChange(tx, actor, change);
  await recordAudit(tx, actor, { action, object, object_id, detail, personal, names });
}

/** The audit row and the outbox row of one change, in the transaction that makes it. */
export async function recordChange(tx: Tx, actor: Actor, change: Change): Promise<void> {
  const { action, object_id } = change;
  await recordAlone(tx, actor, change);
  await addToOutbox(tx, actor, { topic: action, object_id });
}
