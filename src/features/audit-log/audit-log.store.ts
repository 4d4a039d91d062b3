import { type RawBuilder, sql } from "kysely";
import { type Dialect, statement } from "../../storage/statement.ts";
import type { Connection } from "../../storage/storage.ts";
import { valuesIn } from "../../storage/values-in.ts";
import { variants } from "../../storage/variants.ts";

/** An audit event with the name of the person who acted; null where the actor is none. */
export interface EventRow {
  id: string;
  at: string;
  actor: string;
  actor_name: string | null;
  action: string;
  object: string;
  object_id: string;
  detail: string;
  token_id: string;
  session: string;
  request_id: string;
  caller_request_id: string;
  client_address: string;
  personal: string;
  /** The salted hashes of personal values that were erased, as JSON text. */
  erased: string;
  token_name: string | null;
}

/** Events of sign-ins. */
const SIGN_INS = [
  "session.created",
  "session.ended",
  "sign_in.refused",
  "developer.sign_in_refused",
  "access_token.refused",
];
/** Events of nothing that changed, beside these and exports. */
const READS = ["call.refused", "secret.read", "list.streamed"] as const;
/** The action that logs every export: see calls/record-export.ts. */
const EXPORT = "export";

/**
 * The filters of the audit log; "" for an unused one. Ids begin with a second, so times bound them.
 */
export interface EventFilter {
  org_id: string;
  /** The search text: in lower case; as typed; as typed if it may be (part of) an id. */
  q: string;
  typed: string;
  id_text: string;
  kind: "" | "changes" | "sign_ins";
  actor: string;
  /** The names under which rows may have the object, a JSON array of texts; none: any object. */
  objects: string;
  object_id: string;
  /** The actions. */
  actions: string;
  token_id: string;
  session: string;
  temporaryAccess: string;
  request_id: string;
  client_address: string;
  /** From this time on, and until shortly before that one, as our own times are written. */
  after: string;
  before: string;
}

/** Events that one statement gives at the most. */
const EVENTS_AT_ONCE = 101;

/**
 * Events that one statement looks at, at the most, where no index holds what is asked for: a filter
 * that matches nothing among a million must not hold up everybody else.
 */
export const LOOKED_AT = 5000;

/**
 * The part of the log that a statement reads: all of it, that of one object, the latest rows, or
 * those waiting to be appended.
 */
type Part = "log" | "object" | "late" | "waiting";

/** Places of the log, and of what waits by time; each part asks for its own. */
interface Bounds {
  /** Places from the first on, and before the second. */
  from: number;
  to: number;
  /** Rows of that time and with a smaller id, or older ones. */
  at: string;
  id: string;
  /** Not before this time. */
  since: string;
}

type Walk = EventFilter & Bounds;

const walkSql = variants((part: Part) =>
  statement<Walk>()<EventRow & { place: number | null }>((db, p, dialect) => {
    const query = db.selectFrom("audit_events as e")
      .leftJoin(
        "users as u",
        (join) => join.onRef("u.org_id", "=", "e.org_id").onRef("u.id", "=", "e.actor"),
      )
      .leftJoin(
        "access_tokens as t",
        (join) => join.onRef("t.org_id", "=", "e.org_id").onRef("t.id", "=", "e.token_id"),
      )
      .select(["e.id", "e.at", "e.actor", "u.name as actor_name"])
      .select(["e.action", "e.object", "e.object_id", "e.detail"])
      .select(["e.token_id", "e.session", "e.request_id", "e.client_address", "e.personal"])
      .select(["e.caller_request_id", "e.leaf_index as place"])
      .select(["e.erased", "t.name as token_name"])
      .where("e.org_id", "=", p.org_id)
      .where("e.at", ">=", p.after).where("e.at", "<", p.before)
      .where(matches("e.actor", p.actor)).where(isOneOf("e.object", p.objects, dialect))
      .where(isOneOf("e.action", p.actions, dialect)).where(matches("e.token_id", p.token_id))
      .where(matches("e.session", p.session)).where(ofCall(p.request_id))
      .where(matches("e.client_address", p.client_address))
      .where(ofKind(p.kind)).where(named(p, dialect)).where(
        ofTemporaryAccess(p.temporaryAccess, dialect),
      );
    const older = sql<boolean>`(e.at, e.id) < (${p.at}, ${p.id})`;
    if (part === "waiting") {
      return query.where("e.leaf_index", "is", null).where("e.at", ">=", p.since).where(older)
        .where(matches("e.object_id", p.object_id))
        .orderBy("e.at", "desc").orderBy("e.id", "desc").limit(sql.lit(EVENTS_AT_ONCE));
    }
    const logged = query.where("e.leaf_index", "is not", null);
    if (part === "object") {
      // Said as ranges of pairs: with `object_id = …` SQLite would walk the whole log.
      return logged.where(sql<boolean>`(e.object_id, e.leaf_index) >= (${p.object_id}, ${p.from})`)
        .where(sql<boolean>`(e.object_id, e.leaf_index) < (${p.object_id}, ${p.to})`)
        .orderBy("e.object_id", "desc").orderBy("e.leaf_index", "desc").orderBy("e.id", "desc")
        .limit(sql.lit(EVENTS_AT_ONCE));
    }
    const inLog = logged.where("e.leaf_index", ">=", p.from).where("e.leaf_index", "<", p.to);
    if (part === "late") {
      return inLog.where(older).where(matches("e.object_id", p.object_id))
        .orderBy("e.leaf_index").limit(sql.lit(LATE));
    }
    return inLog.orderBy("e.leaf_index", "desc").orderBy("e.id", "desc")
      .limit(sql.lit(EVENTS_AT_ONCE));
  })
);

const waitingBoundSql = statement<{ org_id: string; at: string; id: string }>()((db, p) =>
  db.selectFrom("audit_events").select("at")
    .where("org_id", "=", p.org_id).where("leaf_index", "is", null)
    .where(sql<boolean>`(at, id) < (${p.at}, ${p.id})`)
    .orderBy("at", "desc").orderBy("id", "desc").limit(sql.lit(1)).offset(sql.lit(LOOKED_AT - 1))
);

/** Rows that came into the log since a reader began, and that one statement gives. */
const LATE = 1000;

/**
 * The position of a reader: among rows that waited for the log when it had `size` entries, or in
 * the log.
 */
export type AuditLogPosition =
  | { in: "waiting"; size: number; at: string; id: string }
  | { in: "log"; below: number };

/** A row, and the place behind it. */
interface PlacedEvent {
  row: EventRow;
  place: AuditLogPosition;
}

/** The rows behind a position. `next` null: that was all; `looked`: the most rows looked at. */
export interface EventPart {
  rows: PlacedEvent[];
  next: AuditLogPosition | null;
  looked: number;
}

/**
 * The next events behind a place, the newest first: what waits for the log by its time, then the
 * log from its end. Rows that waited when the reader began stay there for this reader, even if the
 * log has taken them in meanwhile: no row is left out or given twice. `span`: the places of the log
 * that may hold what is asked for.
 */
export async function eventsBehind(
  db: Connection,
  filter: EventFilter,
  place: AuditLogPosition,
  span: LogSpan,
): Promise<EventPart> {
  return place.in === "log"
    ? await inLog(db, filter, place.below, span)
    : await waiting(db, filter, place);
}

async function inLog(
  db: Connection,
  filter: EventFilter,
  below: number,
  span: LogSpan,
): Promise<EventPart> {
  const to = Math.min(below, span.to);
  const isBounded = needsBound(filter);
  // Places of the log follow each other without a gap.
  const from = isBounded ? Math.max(span.from, to - LOOKED_AT) : span.from;
  const part = filter.object_id === "" ? "log" : "object";
  const found = await db.rows(walkSql(part), { ...filter, ...NOWHEN, from, to });
  const rows = found.map(({ place, ...row }): PlacedEvent => ({
    row,
    place: { in: "log", below: Number(place) },
  }));
  const isFull = rows.length === EVENTS_AT_ONCE;
  const last = isFull ? rows.at(-1)?.place : { in: "log" as const, below: from };
  const isOver = !isFull && from <= span.from;
  return {
    rows,
    next: isOver ? null : last ?? null,
    looked: isBounded ? Math.max(to - from, 1) : rows.length,
  };
}

async function waiting(
  db: Connection,
  filter: EventFilter,
  place: Extract<AuditLogPosition, { in: "waiting" }>,
): Promise<EventPart> {
  const { org_id } = filter;
  const { size, at, id } = place;
  const bound = needsBound(filter) || filter.object_id !== ""
    ? await db.row(waitingBoundSql, { org_id, at, id })
    : undefined;
  const asked = { ...filter, at, id, from: size, to: END, since: bound?.at ?? "" };
  // In this order: what the log takes in meanwhile is in one of them at least.
  const found = await db.rows(walkSql("waiting"), asked);
  const late = await db.rows(walkSql("late"), asked);
  if (late.length === LATE) {
    // So much is new that reading starts again at the present end of the log.
    return await waiting(db, filter, { ...place, size: await logSize(db, org_id) });
  }
  const isFull = found.length === EVENTS_AT_ONCE;
  const lowest = isFull ? found.at(-1) : undefined;
  const since = lowest?.at ?? bound?.at ?? "";
  const all = new Map([...found, ...late].map((row) => [row.id, row]));
  const rows = [...all.values()]
    .filter((row) => row.at > since || (row.at === since && row.id >= (lowest?.id ?? "")))
    .sort((a, b) => order(b.at, a.at) || order(b.id, a.id))
    .map(({ place: _, ...row }): PlacedEvent => ({
      row,
      place: { in: "waiting", size, at: row.at, id: row.id },
    }));
  const next: AuditLogPosition = isFull
    ? { in: "waiting", size, at: lowest?.at ?? "", id: lowest?.id ?? "" }
    : bound
    ? { in: "waiting", size, at: bound.at, id: "" }
    : { in: "log", below: size };
  return { rows, next, looked: bound ? LOOKED_AT : rows.length };
}

const order = (a: string, b: string) => a < b ? -1 : a > b ? 1 : 0;

/** Above every place of a log. */
const END = Number.MAX_SAFE_INTEGER;
/** The position for a query in the log alone. */
const NOWHEN = { at: "", id: "", since: "" };

const sizeSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("audit_events").select("leaf_index").where("org_id", "=", p.org_id)
    .where("leaf_index", "is not", null).orderBy("leaf_index", "desc").limit(sql.lit(1))
);

/** How many entries a log has, by the last row that is in it. */
export async function logSize(db: Connection, org_id: string): Promise<number> {
  const row = await db.row(sizeSql, { org_id });
  return row === undefined ? 0 : Number(row.leaf_index) + 1;
}

/** Places of a log, from the first on and before the second. */
export interface LogSpan {
  from: number;
  to: number;
}

const lastOfSql = statement<{ org_id: string; id: string }>()((db, p) =>
  db.selectFrom("audit_events").select("leaf_index").where("org_id", "=", p.org_id)
    .where("leaf_index", "is not", null).where("id", "<", p.id)
    .orderBy("id", "desc").limit(sql.lit(1))
);
const firstOfSql = statement<{ org_id: string; id: string }>()((db, p) =>
  db.selectFrom("audit_events").select("leaf_index").where("org_id", "=", p.org_id)
    .where("leaf_index", "is not", null).where("id", ">=", p.id)
    .orderBy("id").limit(sql.lit(1))
);

/** The places of a log between ids below the first, and from the second on; "" bounds nothing. */
export async function logSpan(
  db: Connection,
  org_id: string,
  { above, below }: { above: string; below: string },
): Promise<LogSpan> {
  const from = above === "" ? undefined : await db.row(lastOfSql, { org_id, id: above });
  const to = below === "" ? undefined : await db.row(firstOfSql, { org_id, id: below });
  return {
    from: from ? Number(from.leaf_index) : 0,
    to: to ? Number(to.leaf_index) + 1 : END,
  };
}

/** Nothing but the time, or a thing with its own index: what is looked at is what is given. */
function needsBound(filter: EventFilter): boolean {
  const { actor, objects, object_id, actions, token_id, session } = filter;
  const { temporaryAccess, request_id, client_address, q, kind } = filter;
  const call = [token_id, session, temporaryAccess, request_id, client_address];
  const isNamed = objects !== "[]" || actions !== "[]";
  const others = [actor, ...call, q, kind];
  return object_id === "" && (isNamed || others.some((value) => value !== ""));
}

function matches(column: string, value: string) {
  return sql<boolean>`(${value} = '' or ${sql.ref(column)} = ${value})`;
}

function isOneOf(column: string, values: string, dialect: Dialect) {
  return sql<boolean>`(${values} = '[]' or ${sql.ref(column)} in ${valuesIn(values, dialect)})`;
}

/** By either id: who knows only the one that the caller gave finds the call, too. */
function ofCall(id: string) {
  return sql<boolean>`(${id} = '' or e.request_id = ${id} or e.caller_request_id = ${id})`;
}

/** By the mark that each deed in it has in its detail, or what happened to it. */
function ofTemporaryAccess(id: string, dialect: Dialect) {
  const isIn = sql.raw(dialect === "postgres" ? "strpos" : "instr");
  const mark = dialect === "postgres"
    ? sql`'"elevation":"' || cast(${id} as text) || '"'`
    : sql`'"elevation":"' || ${id} || '"'`;
  return sql<boolean>`(${id} = '' or e.object_id = ${id} or ${isIn}(e.detail, ${mark}) > 0)`;
}

function ofKind(kind: string) {
  const actions = (names: readonly string[]) => sql.join(names.map((name) => sql.lit(name)));
  return sql<boolean>`(${kind} = ''
    or (${kind} = 'sign_ins' and e.action in (${actions(SIGN_INS)}))
    or (${kind} = 'changes' and e.object <> ${sql.lit(EXPORT)}
      and e.action not in (${actions([...SIGN_INS, ...READS])})))`;
}

/** Whether an event names what is searched: the names of members count for nothing. */
function named({ q, typed, id_text }: Pick<Walk, "q" | "typed" | "id_text">, dialect: Dialect) {
  const isIn = sql.raw(dialect === "postgres" ? "strpos" : "instr");
  const holds = (text: RawBuilder<unknown>) =>
    sql`(${isIn}(lower(${text}), ${q}) > 0 or ${isIn}(${text}, ${typed}) > 0)`;
  const columns = ["e.object_id", "e.client_address", "u.name", "t.name"]
    .map((name) => holds(sql`coalesce(${sql.ref(name)}, '')`));
  const ids = ["e.id", "e.actor", "e.token_id", "e.session", "e.request_id", "e.detail"]
    .concat("e.caller_request_id")
    .map((name) => sql`${isIn}(${sql.ref(name)}, ${id_text}) > 0`);
  const values = dialect === "postgres"
    ? [
      sql`select value from json_each_text(e.personal::json)`,
      sql`select value from json_each_text(coalesce(e.detail::json -> 'names', '{}'::json))`,
    ]
    : [
      sql`select value from json_each(e.personal)`,
      sql`select value from json_each(e.detail, '$.names')`,
    ];
  const notNamed = sql`exists (select 1 from (${sql.join(values, sql` union all `)}) as v
    where ${holds(sql`v.value`)})`;
  return sql<boolean>`(${q} = '' or ${sql.join([...columns, notNamed], sql` or `)}
    or (${id_text} <> '' and (${sql.join(ids, sql` or `)})))`;
}
