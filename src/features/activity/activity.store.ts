import { type RawBuilder, sql } from "kysely";
import { type Dialect, type Statement, statement } from "../../storage/statement.ts";
import type { Connection } from "../../storage/storage.ts";

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
/** What every export is told of, whatever leaves: see calls/record-export.ts. */
const EXPORT = "export";

/** What narrows the trail; "" where nothing does. Ids begin with a second, so times bound them. */
export interface EventFilter {
  org_id: string;
  /** What is searched: in small letters; as typed; as typed where it may be (part of) an id. */
  q: string;
  typed: string;
  id_text: string;
  kind: "" | "changes" | "sign_ins";
  actor: string;
  object: string;
  object_id: string;
  action: string;
  token_id: string;
  session: string;
  request_id: string;
  client_address: string;
  /** From this time on, and until shortly before that one, as our own times are written. */
  after: string;
  before: string;
  /** No event of that time has a smaller id than the first, or one that is not below the second. */
  lowest: string;
  highest: string;
}

/** Events that one statement gives at the most. */
const EVENTS_AT_ONCE = 101;

/**
 * Events that one statement looks at, at the most, where no index holds what is asked for: a filter
 * that matches nothing among a million must not hold up everybody else.
 */
export const LOOKED_AT = 5000;

type Walk = EventFilter & { below: string };

const walkSql = (byObject: boolean): Statement<Walk, EventRow> =>
  statement<Walk>()((db, p, dialect) => {
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
      .select(["e.caller_request_id"])
      .select(["e.erased", "t.name as token_name"])
      .where("e.org_id", "=", p.org_id)
      .where("e.at", ">=", p.after).where("e.at", "<", p.before)
      .where(matches("e.actor", p.actor)).where(matches("e.object", p.object))
      .where(matches("e.action", p.action)).where(matches("e.token_id", p.token_id))
      .where(matches("e.session", p.session)).where(ofCall(p.request_id))
      .where(matches("e.client_address", p.client_address))
      .where(ofKind(p.kind)).where(named(p, dialect)).limit(sql.lit(EVENTS_AT_ONCE));
    if (!byObject) {
      return query.where("e.id", "<", p.below).where("e.id", ">=", p.lowest)
        .orderBy("e.id", "desc");
    }
    // Said as a range of pairs: with `object_id = …` SQLite would walk the whole trail by its key.
    return query.where(sql<boolean>`(e.object_id, e.id) < (${p.object_id}, ${p.below})`)
      .where(sql<boolean>`(e.object_id, e.id) >= (${p.object_id}, ${p.lowest})`)
      .orderBy("e.object_id", "desc").orderBy("e.id", "desc");
  });

const ofAllSql = walkSql(false);
const ofObjectSql = walkSql(true);

const boundSql = statement<{ org_id: string; below: string; lowest: string }>()((db, p) =>
  db.selectFrom("audit_events").select("id")
    .where("org_id", "=", p.org_id).where("id", "<", p.below).where("id", ">=", p.lowest)
    .orderBy("id", "desc").limit(sql.lit(1)).offset(sql.lit(LOOKED_AT - 1))
);

/**
 * The next events below an id, newest first: few or none of them where few match, though there may
 * be more below `next`. `next` null: that was all. `looked` is how many events the statement may
 * have looked at.
 */
export async function eventsBelow(
  db: Connection,
  filter: EventFilter,
  below: string,
): Promise<{ rows: EventRow[]; next: string | null; looked: number }> {
  const bound = needsBound(filter)
    ? await db.row(boundSql, { org_id: filter.org_id, below, lowest: filter.lowest })
    : undefined;
  const rows = await db.rows(filter.object_id === "" ? ofAllSql : ofObjectSql, {
    ...filter,
    below,
    lowest: bound?.id ?? filter.lowest,
  });
  const last = rows.length === EVENTS_AT_ONCE ? rows.at(-1) : bound;
  return { rows, next: last?.id ?? null, looked: bound ? LOOKED_AT : rows.length };
}

/** Nothing but the time, or a thing with its own index: what is looked at is what is given. */
function needsBound(filter: EventFilter): boolean {
  const { actor, object, object_id, action, token_id, session } = filter;
  const { request_id, client_address, q, kind } = filter;
  const call = [token_id, session, request_id, client_address];
  const others = [actor, object, action, ...call, q, kind];
  return object_id === "" && others.some((value) => value !== "");
}

function matches(column: string, value: string) {
  return sql<boolean>`(${value} = '' or ${sql.ref(column)} = ${value})`;
}

/** By either id: who knows only the one that the caller gave finds the call, too. */
function ofCall(id: string) {
  return sql<boolean>`(${id} = '' or e.request_id = ${id} or e.caller_request_id = ${id})`;
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
  const told = sql`exists (select 1 from (${sql.join(values, sql` union all `)}) as v
    where ${holds(sql`v.value`)})`;
  return sql<boolean>`(${q} = '' or ${sql.join([...columns, told], sql` or `)}
    or (${id_text} <> '' and (${sql.join(ids, sql` or `)})))`;
}
