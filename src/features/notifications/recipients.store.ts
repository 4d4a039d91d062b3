import { newestEvent } from "../../changes/audit-events.store.ts";
import { statement } from "../../storage/statement.ts";
import type { Connection } from "../../storage/storage.ts";

/** What a message tells of. */
type Message = Record<"org_id" | "object_id" | "topic" | "at", string>;

/** The change that it tells of, as the audit log has it. */
function changeOf(db: Connection, { org_id, object_id, topic, at }: Message) {
  return newestEvent(db, { org_id, object_id, action: topic, at });
}

/**
 * Who made the change that a message tells of, as the audit log has it; undefined: it knows nothing
 * of it any more.
 */
export async function findActor(
  db: Connection,
  message: Message,
): Promise<string | undefined> {
  return (await changeOf(db, message))?.actor;
}

/**
 * Whose way in a message tells of, and whether they changed it themselves, as the audit log has it;
 * undefined: it knows nothing of it any more.
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

/** What the audit log says of an elevation, or of a rule of them, that a message tells of. */
interface ToldOfElevation {
  actor: string;
  /** The ids of people who are told besides administrators. */
  told: string[];
  person_id: string;
  /** What the rule was called. */
  rule: string;
  reason: string;
  expires_at: string;
  deeds: number;
}

/** The same by the message; undefined: the audit log knows nothing of it any more. */
export async function findElevationEvent(
  db: Connection,
  message: Message,
): Promise<ToldOfElevation | undefined> {
  const row = await changeOf(db, message);
  if (!row) return undefined;
  // as: the transactions of elevations write exactly these.
  const detail = JSON.parse(row.detail) as Partial<ToldOfElevation> & {
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

/** What the audit log says of a gateway that a message tells of. */
interface ToldOfGateway {
  actor: string;
  name: string;
  /** Its host; "": it is on this machine, or fetches its map. */
  host: string;
  /** Whether it waits for a person's yes: an access token added or moved it. */
  waits: boolean;
}

/** The same by the message; undefined: the audit log knows nothing of it any more. */
export async function findGatewayEvent(
  db: Connection,
  message: Message,
): Promise<ToldOfGateway | undefined> {
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
