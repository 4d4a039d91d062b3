import { toTimestamp } from "../kernel/clock.ts";
import { newId } from "../kernel/ids.ts";
import { statement } from "../storage/statement.ts";
import type { Tx } from "../storage/storage.ts";

/** Who does something, and when: one `now` for the whole transaction. */
export interface Actor {
  org_id: string;
  user_id: string;
  token_id: string;
  /** Milliseconds since 1970. */
  now: number;
}

/** What happened to what. `detail` is small, public within the organisation, and never holds a secret. */
export interface AuditEvent {
  action: string;
  object: string;
  object_id: string;
  detail?: Readonly<Record<string, unknown>> | undefined;
}

const insert = statement<
  Record<
    "org_id" | "id" | "at" | "actor" | "action" | "object" | "object_id" | "detail",
    string
  >
>()((db, p) =>
  db.insertInto("audit_events").values({
    org_id: p.org_id,
    id: p.id,
    at: p.at,
    actor: p.actor,
    action: p.action,
    object: p.object,
    object_id: p.object_id,
    detail: p.detail,
  })
);

/** Writes one row of the audit trail, in the transaction that it describes. */
export async function recordAudit(tx: Tx, actor: Actor, event: AuditEvent): Promise<void> {
  await tx.send(insert, {
    org_id: actor.org_id,
    id: newId(actor.now),
    at: toTimestamp(actor.now),
    actor: actor.user_id,
    action: event.action,
    object: event.object,
    object_id: event.object_id,
    detail: event.detail ? JSON.stringify(event.detail) : "{}",
  });
}
