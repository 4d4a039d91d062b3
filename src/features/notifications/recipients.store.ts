import { newestEvent } from "../../changes/audit-events.store.ts";
import { statement } from "../../storage/statement.ts";
import type { Connection } from "../../storage/storage.ts";

/** The message's key data. */
type Message = Record<"org_id" | "object_id" | "topic" | "at", string>;

/** The change that it tells of, as the audit log has it. */
function changeOf(db: Connection, { org_id, object_id, topic, at }: Message) {
  return newestEvent(db, { org_id, object_id, action: topic, at });
}

/**
 * The author of the change that a message reports, as the audit log has it; undefined: it does not
 * have it any more.
 */
export async function findActor(
  db: Connection,
  message: Message,
): Promise<string | undefined> {
  return (await changeOf(db, message))?.actor;
}

/**
 * The person whose sign-in a message reports, and whether they changed it themselves, as the audit
 * log has it; undefined: it does not have it any more.
 */
export async function findOwnerOfWayIn(
  db: Connection,
  message: Message,
): Promise<{ person_id: string; bySelf: boolean } | undefined> {
  const row = await changeOf(db, message);
  const person_id = row && JSON.parse(row.detail).person_id;
  return typeof person_id === "string"
    ? { person_id, bySelf: row?.actor === person_id }
    : undefined;
}

/** The audit log's data of temporary access, or of a rule of it, that a message reports. */
interface TemporaryAccessEvent {
  actor: string;
  /** The ids of people who are notified besides administrators. */
  told: string[];
  person_id: string;
  /** The name of the rule. */
  rule: string;
  reason: string;
  expires_at: string;
  deeds: number;
}

/** The event by the message; undefined: the audit log does not have it any more. */
export async function findTemporaryAccessEvent(
  db: Connection,
  message: Message,
): Promise<TemporaryAccessEvent | undefined> {
  const row = await changeOf(db, message);
  if (!row) return undefined;
  // as: the transactions of temporary access write exactly these.
  const detail = JSON.parse(row.detail) as Partial<TemporaryAccessEvent> & {
    name?: string;
    names?: { object?: string };
  };
  const personal = JSON.parse(row.personal) as Readonly<Record<string, string>>;
  return {
    actor: row.actor,
    told: detail.told ?? [],
    person_id: detail.person_id ?? "",
    rule: detail.names?.object ?? detail.name ?? "",
    reason: personal["/reason"] ?? "",
    expires_at: detail.expires_at ?? "",
    deeds: detail.deeds ?? 0,
  };
}

/** The audit log's data of a gateway that a message reports. */
interface GatewayEvent {
  actor: string;
  name: string;
  /** Its host; "": it is on this machine, or fetches its map. */
  host: string;
  /** Whether it waits for a person's yes: an access token added or moved it. */
  waits: boolean;
}

/** The event by the message; undefined: the audit log does not have it any more. */
export async function findGatewayEvent(
  db: Connection,
  message: Message,
): Promise<GatewayEvent | undefined> {
  const row = await changeOf(db, message);
  if (!row) return undefined;
  // as: the transactions of gateways write exactly these.
  const detail = JSON.parse(row.detail) as { name?: string; url?: string; waits_for?: string };
  const { name = "", url = "", waits_for } = detail;
  const host = URL.canParse(url) ? new URL(url).host : "";
  return { actor: row.actor, name, host, waits: waits_for !== undefined };
}

const ownerSql = statement<{ org_id: string; fingerprint: string }>()((db, p) =>
  db.selectFrom("certificates").select("owner")
    .where("org_id", "=", p.org_id).where("fingerprint", "=", p.fingerprint)
);

/** The address of a certificate's owner; undefined: it has none, or there is no certificate. */
export async function findOwnerAddress(
  db: Connection,
  org_id: string,
  certificate_id: string,
): Promise<string | undefined> {
  if (!certificate_id.startsWith(org_id)) return undefined;
  const fingerprint = certificate_id.slice(org_id.length);
  return (await db.row(ownerSql, { org_id, fingerprint }))?.owner || undefined;
}
