import { sql } from "kysely";
import type { StoredRow } from "../../storage/schema.ts";
import { columnsOf } from "../../storage/rows.ts";
import { type Statement, statement } from "../../storage/statement.ts";
import { held, lockAll, send } from "../../storage/statement-functions.ts";
import { inserts } from "../../storage/table-statements.ts";
import type { Connection, Tx } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";
import type { DeliveryState } from "./delivery.ts";
import type { DeliveryRow } from "./fan-out.store.ts";

/** Deliveries of a channel that one node tries at once. */
export const TRIED_AT_ONCE = 16;

/** Kept bytes of an answer. */
export const ANSWER_BYTES = 4096;

const COLUMNS = columnsOf("deliveries");

/**
 * A delivery that is due, and how many earlier messages of its object were given up without a
 * notice.
 */
export interface DueRow {
  id: string;
  topic: string;
  object_id: string;
  event_id: string;
  at: string;
  tries: number;
  missing: number;
  recipient: string;
  /** JSON text of what the message says beyond its ids; null: nothing, or it is kept no longer. */
  detail: string | null;
  /** The ids of the call that made the change; null as above. */
  request_id: string | null;
  caller_request_id: string | null;
  /** The actor, as the audit log has it; "" or null as above. */
  actor: string | null;
}

const dueSql: Statement<{ org_id: string; target_id: string; now: string }, DueRow> = statement<
  { org_id: string; target_id: string; now: string }
>()(held(
  (db, p) =>
    db.selectFrom("deliveries as d")
      .select(["d.id", "d.topic", "d.object_id", "d.event_id", "d.at", "d.tries"])
      .select("d.recipient")
      .select((eb) =>
        eb.selectFrom("deliveries as e").select(sql<number>`count(*)`.as("n"))
          .whereRef("e.org_id", "=", "d.org_id").whereRef("e.target_id", "=", "d.target_id")
          .whereRef("e.object_id", "=", "d.object_id").whereRef("e.recipient", "=", "d.recipient")
          .whereRef("e.position", "<", "d.position")
          .where("e.line", "=", sql.lit(1)).where("e.state", "=", sql.lit("dead"))
          .$asScalar().$castTo<number>().as("missing")
      )
      .select((eb) =>
        (["detail", "request_id", "caller_request_id", "actor"] as const).map((name) =>
          eb.selectFrom("outbox_events as o").select(`o.${name}`)
            .whereRef("o.org_id", "=", "d.org_id").whereRef("o.id", "=", "d.event_id").as(name)
        )
      )
      .where("d.org_id", "=", p.org_id).where("d.target_id", "=", p.target_id)
      .where("d.due_at", "is not", null).where("d.due_at", "<=", p.now)
      .orderBy("d.due_at").limit(sql.lit(TRIED_AT_ONCE)),
  (query) => query.forUpdate("d").skipLocked(),
));

/** Deliveries of a channel that are due first, locked; those locked by others are left out. */
export async function lockDue(
  tx: Tx,
  place: { org_id: string; target_id: string },
  now: string,
): Promise<DueRow[]> {
  const rows = await tx.rows(dueSql, { ...place, now });
  return rows.map((row) => ({
    ...row,
    tries: Number(row.tries),
    missing: Number(row.missing),
  }));
}

/** Deliveries that one mail gathers besides its own, at the most. */
const GATHERED = 100;

/**
 * The other deliveries of a topic that wait for a recipient, the oldest first, locked until the
 * transaction ends.
 */
export const lockGathered = lockAll(
  (db, p: Record<"org_id" | "target_id" | "recipient" | "topic" | "id" | "now", string>) =>
    db.selectFrom("deliveries").select(["id", "object_id"])
      .where("org_id", "=", p.org_id).where("target_id", "=", p.target_id)
      .where("recipient", "=", p.recipient).where("topic", "=", p.topic).where("id", "<>", p.id)
      // Said in the words that the partial index has.
      .where("line", "=", sql.lit(1)).where("recipient", "<>", sql.lit(""))
      .where("state", "=", sql.lit("waiting")).where("blocked", "=", sql.lit(0))
      // A delivery that another node sends at this moment is left to it.
      .where((eb) => eb.or([eb("holder", "=", sql.lit("")), eb("due_at", "<=", p.now)]))
      .orderBy("position").limit(sql.lit(GATHERED)),
  (query) => query.forUpdate().skipLocked(),
);

const findSql = statement<{ org_id: string; id: string }>()((db, p) =>
  db.selectFrom("deliveries").select(COLUMNS)
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** A delivery, or undefined. */
export async function findDelivery(
  db: Connection,
  org_id: string,
  id: string,
): Promise<DeliveryRow | undefined> {
  const row = await db.row(findSql, { org_id, id });
  return row && {
    ...row,
    position: Number(row.position),
    line: Number(row.line),
    blocked: Number(row.blocked),
    tries: Number(row.tries),
    attempts: Number(row.attempts),
  };
}

/** The changeable columns of a delivery. */
type DeliveryChange = Pick<
  DeliveryRow,
  | "state"
  | "line"
  | "blocked"
  | "due_at"
  | "holder"
  | "tries"
  | "attempts"
  | "first_try_at"
  | "ended_at"
  | "position"
>;

const updateSql = statement<
  & { org_id: string; id: string; state: DeliveryState; holder: string }
  & Record<"line" | "blocked" | "tries" | "attempts" | "position", number>
  & Record<"due_at" | "first_try_at" | "ended_at", string | null>
>()((db, p) =>
  db.updateTable("deliveries").set({
    state: p.state,
    line: p.line,
    blocked: p.blocked,
    due_at: p.due_at,
    holder: p.holder,
    tries: p.tries,
    attempts: p.attempts,
    first_try_at: p.first_try_at,
    ended_at: p.ended_at,
    position: p.position,
  }).where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Changes a delivery whose channel the transaction holds. */
export async function updateDelivery(
  tx: Tx,
  row: DeliveryRow,
  change: Partial<DeliveryChange>,
): Promise<void> {
  const { org_id, id, state, line, blocked, due_at, holder, position } = { ...row, ...change };
  const { tries, attempts, first_try_at, ended_at } = { ...row, ...change };
  await tx.change(updateSql, {
    org_id,
    id,
    state,
    line,
    blocked,
    due_at,
    holder,
    position,
    tries,
    attempts,
    first_try_at,
    ended_at,
  });
}

/** One queue: the deliveries to one recipient of a channel about one object. */
type Line = Pick<DeliveryRow, "org_id" | "target_id" | "object_id" | "recipient">;

/** Lets the first that waits in a line be tried, where another one went before it. */
export const wakeFirst = send((db, p: { [K in keyof Line]: string } & { now: string }) =>
  db.updateTable("deliveries").set({ blocked: sql.lit(0), due_at: p.now })
    .where("org_id", "=", p.org_id).where("blocked", "=", sql.lit(1))
    .where("id", "=", (eb) =>
      eb.selectFrom("deliveries as n").select("n.id")
        .where("n.org_id", "=", p.org_id).where("n.target_id", "=", p.target_id)
        .where("n.object_id", "=", p.object_id).where("n.recipient", "=", p.recipient)
        .where("n.line", "=", sql.lit(1)).where("n.state", "=", sql.lit("waiting"))
        .orderBy("n.position").limit(sql.lit(1)))
);

/** Notes that a message was delivered which said how many before it are missing. */
export const markWaiting = send((db, p: { [K in keyof Line]: string } & { position: number }) =>
  db.updateTable("deliveries").set({ line: sql.lit(0) })
    .where("org_id", "=", p.org_id).where("target_id", "=", p.target_id)
    .where("object_id", "=", p.object_id).where("recipient", "=", p.recipient)
    .where("position", "<", p.position)
    .where("line", "=", sql.lit(1)).where("state", "=", sql.lit("dead"))
);

const waitsSql = statement<{ [K in keyof Line]: string }>()((db, p) =>
  db.selectFrom("deliveries").select("id")
    .where("org_id", "=", p.org_id).where("target_id", "=", p.target_id)
    .where("object_id", "=", p.object_id).where("recipient", "=", p.recipient)
    .where("line", "=", sql.lit(1)).where("state", "=", sql.lit("waiting")).limit(sql.lit(1))
);

/** Whether anything waits in a line. */
export async function lineWaits(tx: Tx, line: Line): Promise<boolean> {
  const { org_id, target_id, object_id, recipient } = line;
  return await tx.row(waitsSql, { org_id, target_id, object_id, recipient }) !== undefined;
}

/** A try as it is stored. */
type AttemptRow = StoredRow<"delivery_attempts">;

/** Keeps what became of a try. */
export const addAttempt = send(inserts("delivery_attempts"));

const attemptsSql = variants((limit: number) =>
  statement<{ org_id: string; delivery_id: string }>()((db, p) =>
    db.selectFrom("delivery_attempts")
      .select(["n", "at", "status", "duration_ms", "answer", "error"])
      .where("org_id", "=", p.org_id).where("delivery_id", "=", p.delivery_id)
      .orderBy("n", "desc").limit(sql.lit(limit))
  )
);

/** The newest tries of a delivery, up to `limit`, the newest first. */
export async function attemptsOf(
  db: Connection,
  org_id: string,
  delivery_id: string,
  limit = 100,
): Promise<Omit<AttemptRow, "org_id" | "delivery_id">[]> {
  const rows = await db.rows(attemptsSql(limit), { org_id, delivery_id });
  return rows.map((row) => ({
    ...row,
    n: Number(row.n),
    status: Number(row.status),
    duration_ms: Number(row.duration_ms),
  }));
}

/** Which index a list goes by. */
type ListBy = "all" | "object" | "state";

const belowSql = variants((by: ListBy, limit: number) =>
  statement<Record<"org_id" | "value" | "below" | "lowest", string>>()((db, p) => {
    const rows = db.selectFrom("deliveries").select(COLUMNS).where("org_id", "=", p.org_id);
    if (by === "all") {
      return rows.where("id", "<", p.below).where("id", ">=", p.lowest)
        .where(sql<boolean>`${p.value} = ''`).orderBy("id", "desc").limit(sql.lit(limit));
    }
    const column = by === "object" ? "object_id" : "state";
    const pair = sql`(${sql.ref(column)}, id)`;
    // Said as a range of pairs: with an equality SQLite would walk the whole table by its key.
    const range = rows.where(sql<boolean>`${pair} < (${p.value}, ${p.below})`)
      .where(sql<boolean>`${pair} >= (${p.value}, ${p.lowest})`)
      .orderBy(column, "desc").orderBy("id", "desc").limit(sql.lit(limit));
    return by === "object" ? range : range.where("state", "<>", sql.lit("delivered"));
  })
);

/** The filters of a list that an index narrows; the others are checked row by row. */
interface DeliveryFilter {
  org_id: string;
  object_id: string;
  state: DeliveryState | "";
  /** No row is below it. */
  lowest: string;
}

/** Up to `limit` deliveries with smaller ids, newest first, by the index that narrows most. */
export async function deliveriesBelow(
  db: Connection,
  { org_id, object_id, state, lowest }: DeliveryFilter,
  below: string,
  limit: number,
): Promise<DeliveryRow[]> {
  const by: ListBy = object_id !== ""
    ? "object"
    : state === "" || state === "delivered"
    ? "all"
    : "state";
  const value = by === "object" ? object_id : by === "state" ? state : "";
  return await db.rows(belowSql(by, limit), { org_id, value, below, lowest });
}

/** Messages of one step of a replay. */
export const REPLAYED = 100;

const spanSql = statement<Record<"org_id" | "behind" | "until", string>>()((db, p) =>
  db.selectFrom("outbox_events").select(["id", "at", "topic", "object_id", "position", "fanned"])
    .select("detail")
    .where("org_id", "=", p.org_id).where("id", ">", p.behind).where("id", "<", p.until)
    .orderBy("id").limit(sql.lit(REPLAYED))
);

/** A message that may be replayed. `waits`: it has not been fanned out yet, and will be. */
export interface PastMessage {
  id: string;
  at: string;
  topic: string;
  object_id: string;
  position: number;
  /** JSON text of what it says beyond its ids; null: nothing. */
  detail: string | null;
  waits: boolean;
}

/** Up to REPLAYED messages of an organisation with ids in between. */
export async function messagesBetween(
  db: Connection,
  range: { org_id: string; behind: string; until: string },
): Promise<PastMessage[]> {
  const rows = await db.rows(spanSql, range);
  return rows.map(({ position, fanned, ...row }) => ({
    ...row,
    position: Number(position ?? 0),
    waits: position !== null && fanned === null,
  }));
}

const dropAttemptsSql = statement<{ org_id: string; target_id: string }>()((db, p) =>
  db.deleteFrom("delivery_attempts").where("org_id", "=", p.org_id)
    .where("delivery_id", "in", (eb) => someOfLine(eb.selectFrom("deliveries"), p))
);

const dropSql = statement<{ org_id: string; target_id: string }>()((db, p) =>
  db.deleteFrom("deliveries").where("org_id", "=", p.org_id)
    .where("id", "in", (eb) => someOfLine(eb.selectFrom("deliveries"), p))
);

/** Deliveries of one step of a removal. */
export const DROPPED = 200;

// deno-lint-ignore no-explicit-any -- the builder of a subquery, whose type has no name of its own
function someOfLine(query: any, p: { org_id: string; target_id: string }) {
  return query.select("id").where("org_id", "=", p.org_id).where("target_id", "=", p.target_id)
    .where("line", "=", sql.lit(1)).orderBy("object_id").orderBy("position")
    .limit(sql.lit(DROPPED));
}

/**
 * Removes up to DROPPED deliveries of a channel that stand in lines, with their tries; gives how
 * many.
 */
export async function dropLines(tx: Tx, org_id: string, target_id: string): Promise<number> {
  await tx.change(dropAttemptsSql, { org_id, target_id });
  return await tx.change(dropSql, { org_id, target_id });
}
