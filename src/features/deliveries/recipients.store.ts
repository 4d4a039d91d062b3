import { sql } from "kysely";
import { statement } from "../../storage/statement.ts";
import type { Connection } from "../../storage/storage.ts";

const actorSql = statement<Record<"org_id" | "object_id" | "topic" | "at", string>>()((db, p) =>
  db.selectFrom("audit_events").select(["actor", "detail", "personal"])
    .where("org_id", "=", p.org_id)
    // Said as a range of pairs: with an equality SQLite would walk the whole table by its key.
    .where(sql<boolean>`(object_id, id) >= (${p.object_id}, '')`)
    .where(sql<boolean>`(object_id, id) < (${p.object_id}, '~')`)
    .where("action", "=", p.topic).where("at", "=", p.at)
    .orderBy("object_id", "desc").orderBy("id", "desc").limit(sql.lit(1))
);

/**
 * Who made the change that a message tells of, as the trail has it; undefined: it knows nothing of
 * it any more.
 */
export async function findActor(
  db: Connection,
  message: { org_id: string; object_id: string; topic: string; at: string },
): Promise<string | undefined> {
  const { org_id, object_id, topic, at } = message;
  return (await db.row(actorSql, { org_id, object_id, topic, at }))?.actor;
}

/**
 * Whose way in a message tells of, and whether they changed it themselves, as the trail has it;
 * undefined: it knows nothing of it any more.
 */
export async function findOwnerOfWayIn(
  db: Connection,
  message: { org_id: string; object_id: string; topic: string; at: string },
): Promise<{ person_id: string; bySelf: boolean } | undefined> {
  const { org_id, object_id, topic, at } = message;
  const row = await db.row(actorSql, { org_id, object_id, topic, at });
  const person_id = row && JSON.parse(row.detail).person_id;
  return typeof person_id === "string"
    ? { person_id, bySelf: row?.actor === person_id }
    : undefined;
}

/** What the trail says of an elevation, or of a rule of them, that a message tells of. */
export interface ToldOfElevation {
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

/** The same by the message; undefined: the trail knows nothing of it any more. */
export async function findElevationEvent(
  db: Connection,
  message: { org_id: string; object_id: string; topic: string; at: string },
): Promise<ToldOfElevation | undefined> {
  const { org_id, object_id, topic, at } = message;
  const row = await db.row(actorSql, { org_id, object_id, topic, at });
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
