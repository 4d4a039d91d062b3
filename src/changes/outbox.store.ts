import { sql } from "kysely";
import { rowOf } from "../storage/rows.ts";
import { type Dialect, statement } from "../storage/statement.ts";
import { atMost, change, exists, send } from "../storage/statement-functions.ts";
import type { Tx } from "../storage/storage.ts";

/** A message as it is written. */
type OutboxRow =
  & Record<"org_id" | "id" | "at" | "topic" | "object_id", string>
  & Record<"request_id" | "caller_request_id" | "actor", string>
  & { detail: string | null };

/**
 * The position of the organisation's next message; null where it has no channel, which costs one
 * look into a table with a row for each organisation that has any. PostgreSQL's transactions run
 * beside each other: there a sequence gives it, while the transaction holds what it changes, so
 * that the messages of one object have the order of their commits.
 */
function nextPosition(org_id: unknown, dialect: Dialect) {
  return dialect === "postgres"
    ? sql<number | null>`(select nextval('outbox_positions') from outbox_heads
        where org_id = ${org_id} and targets > 0)`
    : sql<number | null>`(select max(h.floor, coalesce((${highestWaiting(org_id)}), 0)) + 1
        from outbox_heads h where h.org_id = ${org_id} and h.targets > 0)`;
}

const highestWaiting = (org_id: unknown) =>
  sql`select position from outbox_events
    where org_id = ${org_id} and position is not null and fanned is null
    order by position desc limit 1`;

/** Adds a message. It waits to be fanned out if its organisation has a channel at this moment. */
export const insertMessage = send((db, p: OutboxRow, dialect) =>
  db.insertInto("outbox_events").values({
    ...rowOf("outbox_events", p, "position", "fanned"),
    position: nextPosition(p.org_id, dialect),
  })
);

/** The newest messages of a topic, whether they go anywhere or not. */
export const newestMessages = atMost((db, p: { org_id: string; topic: string }, limit) =>
  db.selectFrom("outbox_events").select(["id", "at", "topic", "object_id"])
    .where("org_id", "=", p.org_id).where("topic", "=", p.topic).orderBy("id", "desc").limit(limit)
);

const addHeadSql = statement<{ org_id: string }>()((db, p) =>
  db.insertInto("outbox_heads").values({
    org_id: p.org_id,
    targets: sql.lit(0),
    floor: sql.lit(0),
  }).onConflict((conflict) => conflict.doNothing())
);

const countChannelsSql = statement<{ org_id: string; by: number }>()((db, p) =>
  db.updateTable("outbox_heads").set({ targets: sql<number>`targets + ${p.by}` })
    .where("org_id", "=", p.org_id)
);

/** Counts a channel of the organisation in or out: messages wait while there are any. */
export async function countChannels(tx: Tx, org_id: string, by: 1 | -1): Promise<void> {
  await tx.change(addHeadSql, { org_id });
  await tx.change(countChannelsSql, { org_id, by });
}

/** Whether people of this organisation are mailed about changes. */
export const hasMailChannel = exists((db, p: { org_id: string }) =>
  db.selectFrom("delivery_targets").select("id").where("org_id", "=", p.org_id)
    .where("kind", "=", sql.lit("mail")).limit(sql.lit(1))
);

const drawSql = statement<{ org_id: string }>()((db, p, dialect) =>
  db.updateTable("outbox_heads").set({
    floor: dialect === "postgres"
      ? sql<number>`greatest(floor, nextval('outbox_positions'))`
      : sql<number>`max(floor, coalesce((${highestWaiting(p.org_id)}), 0)) + 1`,
  }).where("org_id", "=", p.org_id).returning("floor")
);

/** A position behind all that were given so far. Throws where there never was a channel. */
export async function drawPosition(tx: Tx, org_id: string): Promise<number> {
  const row = await tx.row(drawSql, { org_id });
  if (!row) throw new Error("an organisation without channels gives no positions");
  return Number(row.floor);
}

/** Notes that positions up to this one were given: once fanned out, no message tells of them. */
export const raiseFloor = change((db, p: { org_id: string; floor: number }, dialect) =>
  db.updateTable("outbox_heads").set({
    floor: sql<number>`${sql.raw(dialect === "postgres" ? "greatest" : "max")}(floor, ${p.floor})`,
  }).where("org_id", "=", p.org_id)
);
