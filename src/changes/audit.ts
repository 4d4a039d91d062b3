import { toTimestamp } from "../kernel/clock.ts";
import { Failure } from "../kernel/failure.ts";
import { newId } from "../kernel/ids.ts";
import { leafHash } from "../../packages/audit-log/merkle.ts";
import { rowOf } from "../storage/rows.ts";
import { statement } from "../storage/statement.ts";
import type { Tx } from "../storage/storage.ts";
import {
  CLIENT_ADDRESS,
  contentOfNew,
  hashedValue,
  newSalts,
  type StoredEvent,
} from "./audit-content.ts";
import { countTemporaryAccessAction } from "./audit-events.store.ts";
import { type EventNames, withNames } from "./event-names.ts";
import { apartFromPersonal, type Personal } from "./personal.ts";
import { keepUnsent, requireOutlet } from "./unsent.store.ts";

/** By which call something is done. Every member is "" where there is none. */
export interface ActingCall {
  /** The id of the browser's session. */
  session: string;
  /** Ours. */
  request_id: string;
  /** The one that the caller gave it. */
  caller_request_id: string;
  /** As KEYDESK_AUDIT_ADDRESSES lets it stand. */
  client_address: string;
  /** The id of the temporary access in which it is done; absent: in none. */
  temporaryAccess?: string | undefined;
}

/** The actor and the time: one `now` for the whole transaction. */
export interface Actor {
  org_id: string;
  user_id: string;
  /** The access token; "" where no one presented one. */
  token_id: string;
  /** Milliseconds since 1970. */
  now: number;
  /** Absent where no one calls: the command line, the start, background work. */
  call?: ActingCall | undefined;
  /** The file that is applied by this; absent: none is. */
  file?: string | undefined;
}

/** One action on one object. */
export interface AuditEvent {
  action: string;
  object: string;
  object_id: string;
  /** Small, public within the organisation, and never holds a secret, nor what names a person. */
  detail?: Readonly<Record<string, unknown>> | undefined;
  /** Values that identify a person: kept apart, so that they can be erased without the rest. */
  personal?: Personal | undefined;
  /** The current names of its things; see EventNames. */
  names?: EventNames | undefined;
}

const insert = statement<StoredEvent & { content_hash: string }>()((db, p) =>
  db.insertInto("audit_events").values(rowOf("audit_events", p, "leaf_index"))
);

/**
 * Writes one row of the audit log, in the transaction that it describes, with the hash of its
 * content. E-mail addresses in `detail` are kept with what is personal, wherever they stand. Throws
 * `access_denied` where the actor's temporary access has ended, and `audit_stream_unavailable`
 * where a person calls and the audit log stream takes nothing: the transaction does nothing then.
 */
export async function recordAudit(tx: Tx, actor: Actor, event: AuditEvent): Promise<void> {
  const { org_id, now, call } = actor;
  if (call) requireOutlet(tx);
  if (call?.temporaryAccess) {
    const counted = { org_id, id: call.temporaryAccess, now: toTimestamp(now) };
    if (!await countTemporaryAccessAction(tx, counted)) throw new Failure("access_denied");
  }
  await write(tx, actor, event, call !== undefined);
}

/**
 * Logs an event that changes nothing: it is written even if temporary access has ended meanwhile,
 * and without waiting for the audit log stream.
 */
export async function noteInAuditLog(tx: Tx, actor: Actor, event: AuditEvent): Promise<void> {
  await write(tx, actor, event, false);
}

async function write(tx: Tx, actor: Actor, event: AuditEvent, isAction: boolean): Promise<void> {
  const { call } = actor;
  const access = call?.temporaryAccess;
  const detail = access ? { ...event.detail, elevation: access } : event.detail;
  const named = withNames(detail ?? {}, event.personal, event.names);
  const whole = JSON.stringify(named.detail);
  // Few have one, and every change comes this way.
  const apart = whole.includes("@") ? apartFromPersonal(named.detail) : undefined;
  const personal = apart ? { ...apart.personal, ...named.personal } : named.personal ?? {};
  const client_address = call?.client_address ?? "";
  const values = Object.entries(personal);
  if (client_address !== "") values.push([CLIENT_ADDRESS, client_address]);
  const fresh = newSalts(values.length);
  const hashed: Record<string, string> = {};
  const salts: Record<string, string> = {};
  values.forEach(([name, value], n) => {
    const salt = fresh[n] ?? "";
    salts[name] = salt;
    hashed[name] = hashedValue(salt, value);
  });
  const row: StoredEvent = {
    org_id: actor.org_id,
    id: newId(actor.now),
    at: toTimestamp(actor.now),
    actor: actor.user_id,
    action: event.action,
    object: event.object,
    object_id: event.object_id,
    detail: apart ? JSON.stringify(apart.detail) : whole,
    token_id: actor.token_id,
    session: call?.session ?? "",
    request_id: call?.request_id ?? "",
    caller_request_id: call?.caller_request_id ?? "",
    client_address,
    personal: JSON.stringify(personal),
    salts: JSON.stringify(salts),
    erased: "{}",
  };
  const content = contentOfNew(row, hashed, apart ? apart.detail : named.detail);
  await tx.send(insert, { ...row, content_hash: leafHash(content) });
  const { org_id, id, at, action } = row;
  await keepUnsent(tx, { org_id, id, at, action, content }, isAction);
}
