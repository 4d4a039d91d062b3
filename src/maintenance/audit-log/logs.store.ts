import { sql } from "kysely";
import { leaseIn } from "../../storage/lease.ts";
import { columnsOf, rowOf } from "../../storage/rows.ts";
import { statement } from "../../storage/statement.ts";
import { all, held, one, send, value } from "../../storage/statement-functions.ts";
import { finds, updates } from "../../storage/table-statements.ts";
import type { Connection, Tx } from "../../storage/storage.ts";
import type { StoredRow } from "../../storage/schema.ts";
import type { HashedEvent, LeafKind } from "./leaf.ts";

/** The log of one organisation. */
export type AuditLogLog = StoredRow<"trail_logs">;

/** A key for checkpoints. */
export type AuditLogKey = Omit<StoredRow<"trail_keys">, "org_id">;

/** A row that is taken in. */
export interface Entry {
  id: string;
  leaf_index: number;
  kind: LeafKind;
  leaf_hash: string;
}

/** The columns of a row that are hashed, and what it brought. */
export const eventColumns = columnsOf("audit_events", "leaf_index");

/** The right to append. */
export const appendLease = leaseIn("trail_lease", 5000);

/** The next organisation behind this one with rows that wait to be taken in. */
export const waitingOrganisation = value((db, p: { behind: string }) =>
  db.selectFrom("audit_events").select("org_id")
    .where("leaf_index", "is", null).where("org_id", ">", p.behind)
    .orderBy("org_id").limit(sql.lit(1))
);

/** Rows that one transaction takes in: short enough for no one to wait. */
export const TAKEN_IN = 250;

/** A row that waits, by what the log needs of it. */
export interface WaitingRow {
  id: string;
  content_hash: string | null;
}

const waitingSql = waiting<WaitingRow>(["id", "content_hash"], TAKEN_IN);

/** Up to 250 rows of an organisation that wait, by id. */
export function waitingRows(db: Connection, org_id: string): Promise<WaitingRow[]> {
  return db.rows(waitingSql, { org_id, behind: "" });
}

const waitingEventsSql = waiting<HashedEvent>(eventColumns, TAKEN_IN);

/** The whole waiting rows, behind an id. */
export function waitingEvents(
  db: Connection,
  org_id: string,
  behind: string,
): Promise<HashedEvent[]> {
  return db.rows(waitingEventsSql, { org_id, behind });
}

function waiting<R>(columns: readonly string[], limit: number) {
  return statement<{ org_id: string; behind: string }>()<R>((db, p, dialect) => ({
    compile: () =>
      // One of the engines would go through all rows in the order of their key instead.
      sql<R>`select ${sql.join(columns.map((name) => sql.ref(name)))}
        from audit_events ${sql.raw(dialect === "sqlite" ? "indexed by audit_events_waiting" : "")}
        where leaf_index is null and org_id = ${p.org_id} and id > ${p.behind}
        order by id limit ${sql.lit(limit)}`.compile(db),
  }));
}

const beforeWaitingSql = statement<{ org_id: string }>()<{ leaf_index: number }>(
  (db, p, dialect) => ({
    compile: () =>
      sql<{ leaf_index: number }>`select leaf_index from audit_events
        where org_id = ${p.org_id} and id < (select id from audit_events
          ${sql.raw(dialect === "sqlite" ? "indexed by audit_events_waiting" : "")}
          where leaf_index is null and org_id = ${p.org_id} and id > ${sql.lit("")}
          order by id limit 1)
        order by id desc limit 1`.compile(db),
  }),
);

/**
 * The place that the row in front of the first waiting one says it has; undefined where there is
 * none.
 */
export async function placeBeforeWaiting(
  db: Connection,
  org_id: string,
): Promise<number | undefined> {
  const row = await db.row(beforeWaitingSql, { org_id });
  return row && Number(row.leaf_index);
}

/** One row whole. */
export const waitingEvent = one(finds("audit_events", { columns: eventColumns }));

const logColumns = columnsOf("trail_logs");

const logSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("trail_logs").select(logColumns).where("org_id", "=", p.org_id)
);

const lockLogSql = statement<{ org_id: string }>()(
  held((db, p) => db.selectFrom("trail_logs").select(logColumns).where("org_id", "=", p.org_id)),
);

const newLogSql = statement<{ org_id: string }>()((db, p) =>
  db.insertInto("trail_logs").values({
    org_id: p.org_id,
    size: sql.lit(0),
    frontier: sql.lit(""),
    upgrade_until: sql.lit(""),
    key_id: sql.lit(""),
    checkpoint: sql.lit(""),
    checkpoint_at: sql.lit(""),
    cut_size: sql.lit(0),
    cut_frontier: sql.lit(""),
  }).onConflict((conflict) => conflict.doNothing())
);

/** The log of an organisation. */
export async function findLog(db: Connection, org_id: string): Promise<AuditLogLog | undefined> {
  return inNumbers(await db.row(logSql, { org_id }));
}

/** The log of an organisation, made where there is none, and held until the transaction ends. */
export async function lockLog(tx: Tx, org_id: string): Promise<AuditLogLog> {
  const known = inNumbers(await tx.row(lockLogSql, { org_id }));
  if (known) return known;
  await tx.change(newLogSql, { org_id });
  const made = inNumbers(await tx.row(lockLogSql, { org_id }));
  if (!made) throw new Error(`no log of ${org_id}`);
  return made;
}

/** One of the engines gives integers as text. */
function inNumbers(log: AuditLogLog | undefined): AuditLogLog | undefined {
  return log && { ...log, size: Number(log.size), cut_size: Number(log.cut_size) };
}

/** Writes a log that the transaction holds. */
export const saveLog = send(
  updates(
    "trail_logs",
    "size",
    "frontier",
    "upgrade_until",
    "key_id",
    "checkpoint",
    "checkpoint_at",
    "cut_size",
    "cut_frontier",
  ),
);

type Entries = { org_id: string; entries: string };

const addLeavesSql = statement<Entries>()<unknown>((db, p, dialect) => ({
  compile: () =>
    (dialect === "postgres"
      ? sql`insert into trail_leaves (org_id, leaf_index, event_id, kind, leaf_hash)
        select ${p.org_id}, v.leaf_index, v.id, v.kind, v.leaf_hash
        from jsonb_to_recordset(cast(${p.entries} as jsonb))
          as v (id text, leaf_index bigint, kind text, leaf_hash text)`
      : sql`insert into trail_leaves (org_id, leaf_index, event_id, kind, leaf_hash)
        select ${p.org_id}, value ->> 'leaf_index', value ->> 'id', value ->> 'kind',
          value ->> 'leaf_hash' from json_each(${p.entries})`).compile(db),
}));

const markEnteredSql = statement<{ org_id: string; from: number; to: number }>()<unknown>((
  db,
  p,
) => ({
  compile: () =>
    sql`update audit_events set leaf_index = l.leaf_index from trail_leaves as l
      where l.org_id = ${p.org_id} and l.leaf_index >= ${p.from} and l.leaf_index <= ${p.to}
        and audit_events.org_id = l.org_id and audit_events.id = l.event_id`.compile(db),
}));

/** Adds leaves to the end of a log that the transaction holds, and gives the rows their places. */
export async function addEntries(
  tx: Tx,
  org_id: string,
  entries: readonly Entry[],
): Promise<void> {
  const [first, last] = [entries[0], entries.at(-1)];
  if (!first || !last) return;
  await tx.send(addLeavesSql, { org_id, entries: JSON.stringify(entries) });
  await tx.send(markEnteredSql, { org_id, from: first.leaf_index, to: last.leaf_index });
}

/**
 * Gives a row that came without it the hash of its content, and the salts of what is personal in
 * it.
 */
export const setContent = send(updates("audit_events", "content_hash", "salts"));

/** All keys of one use that Keydesk ever had, the newest first. */
const keysOf = all((db, p: { org_id: string }) =>
  db.selectFrom("trail_keys").select(["id", "public_key", "private_key", "made_at"])
    .where("org_id", "=", p.org_id).orderBy("made_at", "desc").orderBy("id")
);

/** All keys for checkpoints that Keydesk ever had, the newest first. */
export function auditLogKeys(db: Connection): Promise<AuditLogKey[]> {
  return keysOf(db, { org_id: "" });
}

/** Adds a key. */
export const insertKey = send((
  db,
  p: Record<"org_id" | "id" | "public_key" | "private_key" | "made_at", string>,
) =>
  db.insertInto("trail_keys").values(rowOf("trail_keys", p))
    .onConflict((conflict) => conflict.doNothing())
);

/** A checkpoint that is kept. */
export interface KeptCheckpoint {
  org_id: string;
  size: number;
  at: string;
  note: string;
}

/** Keeps a checkpoint; one of the same size stays as it is. */
export const keepCheckpoint = send((db, p: KeptCheckpoint) =>
  db.insertInto("trail_checkpoints")
    .values(rowOf("trail_checkpoints", p))
    .onConflict((conflict) => conflict.doNothing())
);

const oldLeavesSql = statement<{ org_id: string; from: number }>()((db, p) =>
  db.selectFrom("trail_leaves").select(["leaf_index", "event_id", "leaf_hash"])
    .where("org_id", "=", p.org_id).where("leaf_index", ">=", p.from)
    .orderBy("leaf_index").limit(sql.lit(CUT_AT_ONCE))
);

/** Entries that one transaction cuts. */
export const CUT_AT_ONCE = 200;

/** The first entries of a log that are from before an id, up to 200: a whole stretch of the log. */
export async function firstOldLeaves(
  db: Connection,
  org_id: string,
  { from, before }: { from: number; before: string },
): Promise<{ leaf_index: number; event_id: string; leaf_hash: string }[]> {
  const leaves = await db.rows(oldLeavesSql, { org_id, from });
  const end = leaves.findIndex(({ event_id }) => event_id >= before);
  return leaves.slice(0, end === -1 ? leaves.length : end)
    .map((leaf) => ({ ...leaf, leaf_index: Number(leaf.leaf_index) }));
}

const firstUnsentSql = statement<{ org_id: string; to: number }>()((db, p) =>
  db.selectFrom("trail_leaves as l")
    .innerJoin(
      "audit_events as e",
      (join) => join.onRef("e.org_id", "=", "l.org_id").onRef("e.id", "=", "l.event_id"),
    )
    .innerJoin(
      "trail_unsent as u",
      (join) =>
        join.onRef("u.at", "=", "e.at").onRef("u.event_id", "=", "e.id")
          .onRef("u.org_id", "=", "e.org_id"),
    )
    .select("l.leaf_index").where("l.org_id", "=", p.org_id).where("l.leaf_index", "<", p.to)
    .orderBy("l.leaf_index").limit(sql.lit(1))
);

/** The first entry before a place whose row the audit log stream may lack; undefined: none. */
export async function firstUnsentPlace(
  db: Connection,
  org_id: string,
  { to = Number.MAX_SAFE_INTEGER }: { to?: number } = {},
): Promise<number | undefined> {
  const first = await db.row(firstUnsentSql, { org_id, to });
  return first && Number(first.leaf_index);
}

/**
 * How many entries of a log retention cuts, from its first on, and what it stops at: one that is
 * not from before an id, one that is missing, the one at `unsentAt`, or the end.
 */
export async function countOldEntries(
  db: Connection,
  org_id: string,
  before: string,
  unsentAt: number | undefined,
): Promise<{ entries: number; stopsAt: "end" | "younger" | "gap" | "unsent" }> {
  const log = await findLog(db, org_id);
  const from = log?.cut_size ?? 0;
  let next = from;
  for (let full = true; full;) {
    const leaves = await firstOldLeaves(db, org_id, { from: next, before });
    full = leaves.length === CUT_AT_ONCE;
    for (const { leaf_index } of leaves) {
      if (leaf_index !== next) return { entries: next - from, stopsAt: "gap" };
      if (leaf_index === unsentAt) return { entries: next - from, stopsAt: "unsent" };
      next++;
    }
  }
  return { entries: next - from, stopsAt: next === (log?.size ?? 0) ? "end" : "younger" };
}

type Cut = { org_id: string; to: number };

const cutRowsSql = statement<Cut>()((db, p) =>
  db.deleteFrom("audit_events").where("org_id", "=", p.org_id).where(
    "id",
    "in",
    db.selectFrom("trail_leaves").select("event_id")
      .where("org_id", "=", p.org_id).where("leaf_index", "<", p.to),
  )
);

const cutLeavesSql = statement<Cut>()((db, p) =>
  db.deleteFrom("trail_leaves").where("org_id", "=", p.org_id).where("leaf_index", "<", p.to)
);

const cutCheckpointsSql = statement<Cut>()((db, p) =>
  db.deleteFrom("trail_checkpoints").where("org_id", "=", p.org_id).where("size", "<", p.to)
);

/**
 * Removes the entries before a place, their rows and the checkpoints of them; gives how many rows
 * there were.
 */
export async function removeBefore(tx: Tx, cut: Cut): Promise<number> {
  const rows = await tx.change(cutRowsSql, cut);
  await tx.change(cutLeavesSql, cut);
  await tx.send(cutCheckpointsSql, cut);
  return rows;
}
