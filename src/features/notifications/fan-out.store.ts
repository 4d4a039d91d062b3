import { sql } from "kysely";
import type { StoredRow } from "../../storage/schema.ts";
import { leaseIn } from "../../storage/lease.ts";
import { rowOf } from "../../storage/rows.ts";
import { statement } from "../../storage/statement.ts";
import { send, value } from "../../storage/statement-functions.ts";
import type { Connection, Tx } from "../../storage/storage.ts";
import { lineOf } from "./delivery.ts";

/** A delivery as it is stored. */
export type DeliveryRow = StoredRow<"deliveries">;

/** Messages of one fan-out: short enough for no one to wait. */
export const FANNED_OUT = 50;

/** The right to fan out. */
export const fanOutLease = leaseIn("delivery_lease", 5000);

/** The next organisation behind this one whose messages wait to be fanned out. */
export const organisationToFanOut = value((db, p: { behind: string }) =>
  db.selectFrom("outbox_events").select("org_id")
    .where("position", "is not", null).where("fanned", "is", null)
    .where("org_id", ">", p.behind).orderBy("org_id").limit(sql.lit(1))
);

/** A message of the outbox. */
export interface Message {
  id: string;
  at: string;
  topic: string;
  object_id: string;
  position: number;
  /** JSON text of what it says beyond its ids; null: nothing. */
  detail: string | null;
}

const waitingSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("outbox_events").select(["id", "at", "topic", "object_id", "position", "detail"])
    .where("org_id", "=", p.org_id).where("position", "is not", null).where("fanned", "is", null)
    .orderBy("position").limit(sql.lit(FANNED_OUT))
);

/** The first messages of an organisation that wait to be fanned out, up to FANNED_OUT. */
export async function messagesToFanOut(db: Connection, org_id: string): Promise<Message[]> {
  const rows = await db.rows(waitingSql, { org_id });
  return rows.map((row) => ({ ...row, position: Number(row.position) }));
}

const markSql = statement<Record<string, string>>()((db, p) =>
  db.updateTable("outbox_events").set({ fanned: sql.lit(1) })
    .where("org_id", "=", p.org_id ?? "").where("id", "in", listed(p))
);

/**
 * Marks exactly these messages: others with positions in between may have become visible meanwhile.
 */
export async function markFannedOut(
  tx: Tx,
  org_id: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length > 0) await tx.change(markSql, { org_id, ...named(ids) });
}

const objectsSql = statement<Record<string, string>>()((db, p) =>
  db.selectFrom("deliveries").select("object_id").distinct()
    .where("org_id", "=", p.org_id ?? "").where("target_id", "=", p.target_id ?? "")
    .where("object_id", "in", listed(p))
    .where("line", "=", sql.lit(1)).where("state", "=", sql.lit("waiting"))
);

const linesSql = statement<Record<string, string>>()((db, p) =>
  db.selectFrom("deliveries").select(["object_id", "recipient"])
    .where("org_id", "=", p.org_id ?? "").where("target_id", "=", p.target_id ?? "")
    .where("object_id", "in", listed(p))
    .where("line", "=", sql.lit(1)).where("state", "=", sql.lit("waiting"))
    // In the order of the index that has the lines.
    .orderBy("object_id").orderBy("position")
);

/**
 * The lines of up to FANNED_OUT objects in which a delivery of this channel waits, as lineOf names
 * them.
 */
export async function linesWaiting(
  tx: Tx,
  place: { org_id: string; target_id: string },
  object_ids: readonly string[],
  { ofRecipients }: { ofRecipients: boolean },
): Promise<string[]> {
  if (object_ids.length === 0) return [];
  const params = { ...place, ...named(object_ids) };
  if (ofRecipients) return (await tx.rows(linesSql, params)).map(lineOf);
  const rows = await tx.rows(objectsSql, params);
  return rows.map(({ object_id }) => lineOf({ object_id, recipient: "" }));
}

/** Adds a delivery, where it is not there already. */
export const insertDelivery = send((db, p: DeliveryRow) =>
  db.insertInto("deliveries").values(rowOf("deliveries", p))
    .onConflict((conflict) => conflict.doNothing())
);

/** A list of FANNED_OUT values; a shorter one repeats its first. */
function named(values: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: FANNED_OUT }, (_, n) => [`v${n}`, values[n] ?? values[0] ?? ""]),
  );
}

function listed(p: Record<string, string>): string[] {
  return Array.from({ length: FANNED_OUT }, (_, n) => p[`v${n}`] ?? "");
}
