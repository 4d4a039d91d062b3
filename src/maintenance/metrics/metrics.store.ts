import { type RawBuilder, sql } from "kysely";
import { NO_END } from "../../features/certificates/certificate.ts";
import { statement } from "../../storage/statement.ts";
import { numberOf } from "../../storage/statement-functions.ts";
import type { Connection } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";

/** The waiting entries of a queue are counted up to this. */
const COUNTED = 10_000;

type Nothing = Record<never, never>;

/** How long a line is, and the time or id of the oldest of it; null where nothing waits. */
export interface Line {
  length: number;
  oldest: string | null;
}

/** Pending ones come in two lists: as the client sent `approved`. */
const pendingLists = sql.join(
  [0, 1].map((approved) => sql.lit(`key_requests/pending/${approved}`)),
);

/**
 * Asked for each organisation, so that each answer is one look into an index however long the lists
 * are.
 */
const pendingSql = statement<Nothing>()<{ n: number }>((db) => ({
  compile: () =>
    sql<{ n: number }>`select coalesce(sum(coalesce((select sum(c.n) from list_counts as c
      where c.org_id = o.id and c.list in (${pendingLists}) and c.level = 0), 0)), 0) as n
      from organisations as o`.compile(db),
}));

/** Conditions as the partial indexes have them: key_requests_approved and key_requests_waiting. */
const oldestPendingSql = statement<Nothing>()<{ instant: string | null }>((db) => ({
  compile: () =>
    sql<{ instant: string | null }>`select min(oldest) as instant from (
      select (select r.instant from key_requests as r where r.org_id = o.id and r.approved = 0
        and r.state <> 'declined' order by r.instant limit 1) as oldest from organisations as o
      union all
      select (select r.instant from key_requests as r where r.org_id = o.id and r.approved = 1
        and r.state = 'pending' order by r.instant limit 1) from organisations as o) as each_one`
      .compile(db),
}));

/** How many key requests wait, and the oldest's instant; see kernel/timestamps.ts. */
export async function pendingRequests(db: Connection): Promise<Line> {
  const count = await db.row(pendingSql, {});
  const oldest = await db.row(oldestPendingSql, {});
  return { length: Number(count?.n ?? 0), oldest: oldest?.instant ?? null };
}

/** Of an end of validity: all, year, month, day, hour; as in certificate-counts.store.ts. */
const END_LEVELS = [0, 4, 7, 10, 13];
const endLists = sql.join([0, 1, 2, 3].map((kind) => sql.lit(`certificate_ends/${kind}`)));

const endingBelowSql = statement<Record<"b1" | "b2" | "b3" | "b4", string>>()<{ n: number }>((
  db,
  p,
) => ({
  compile: () => {
    const below = [p.b1, p.b2, p.b3, p.b4].map((to, i, bounds) =>
      sql`coalesce((select sum(c.n) from list_counts as c
        where c.org_id = o.id and c.list in (${endLists}) and c.level = ${sql.lit(i + 1)}
        and c.bucket >= ${i === 0 ? sql.lit("") : bounds[i - 1]} and c.bucket < ${to}), 0)`
    );
    return sql<{ n: number }>`select coalesce(sum(${sql.join(below, sql` + `)}), 0) as n
      from organisations as o`.compile(db);
  },
}));

const certificatesSql = statement<Nothing>()<{ n: number }>((db) => ({
  compile: () =>
    sql<{ n: number }>`select coalesce(sum(coalesce((select sum(c.n) from list_counts as c
      where c.org_id = o.id and c.list in (${endLists}) and c.level = 0), 0)), 0) as n
      from organisations as o`.compile(db),
}));

const invalidSql = variants((ends: number) =>
  statement<Record<string, string>>()<Record<string, number | null>>((db, p, dialect) => ({
    compile: () => {
      const sums = Array.from(
        { length: ends },
        (_, at) =>
          sql`sum(case when not_after < ${p[`e${at}`]} then 1 else 0 end) as ${sql.ref(`n${at}`)}`,
      );
      const index = dialect === "sqlite" ? sql`indexed by certificates_invalid` : sql``;
      return sql<Record<string, number | null>>`select ${sql.join(sums)} from certificates ${index}
        where not_after < not_before`.compile(db);
    },
  }))
);

/**
 * How many certificates of all organisations end before each of `ends`, to the hour, and how many
 * there are that end at all, that end before they begin, and in all. Those that end before they
 * begin are in the last two alone.
 */
export async function certificateEnds(
  db: Connection,
  ends: readonly string[],
): Promise<{ before: number[]; ending: number; invalid: number; total: number }> {
  const before: number[] = [];
  const hours = [...ends, NO_END].map((end) => end.slice(0, END_LEVELS.at(-1)));
  const named = Object.fromEntries(hours.map((hour, at) => [`e${at}`, hour]));
  const never = await db.row(invalidSql(hours.length), named);
  for (const end of [...ends, NO_END]) {
    const [, b1 = "", b2 = "", b3 = "", b4 = ""] = END_LEVELS.map((length) => end.slice(0, length));
    const n = Number((await db.row(endingBelowSql, { b1, b2, b3, b4 }))?.n ?? 0);
    before.push(Math.max(0, n - Number(never?.[`n${before.length}`] ?? 0)));
  }
  const ending = before.pop() ?? 0;
  const invalid = Number(never?.[`n${ends.length}`] ?? 0);
  return { before, ending, invalid, total: Number((await db.row(certificatesSql, {}))?.n ?? 0) };
}

const lineSql = variants((table: "key_request_changes" | "outbox_events" | "leak_reports") =>
  statement<Nothing>()<Line>((db) => {
    // Of the outbox the partial index of what waits is read, and nothing beside it.
    const where = sql.raw(
      table === "outbox_events" ? "where position is not null and fanned is null" : "",
    );
    const at = sql.raw(table === "key_request_changes" ? "mark" : "at");
    return {
      compile: () =>
        sql<Line>`select count(*) as length, min(at) as oldest
          from (select ${at} as at from ${sql.table(table)} ${where} limit ${sql.lit(COUNTED)})
          as line`.compile(db),
    };
  })
);

async function lineOf(
  db: Connection,
  table: "key_request_changes" | "outbox_events" | "leak_reports",
): Promise<Line> {
  const row = await db.row(lineSql(table), {});
  return { length: Number(row?.length ?? 0), oldest: row?.oldest ?? null };
}

/** Changed requests that the search lacks; the oldest by the mark of its change, an id. */
export function searchLine(db: Connection): Promise<Line> {
  return lineOf(db, "key_request_changes");
}

/** Messages that were not fanned out yet. */
export function fanOutLine(db: Connection): Promise<Line> {
  return lineOf(db, "outbox_events");
}

/** Reports of leaks that were not worked off. */
export function leakLine(db: Connection): Promise<Line> {
  return lineOf(db, "leak_reports");
}

const deliveriesSql = variants((state: "waiting" | "dead") =>
  statement<Nothing>()<Line>((db) => {
    // Organisation by organisation, as the index of what is not delivered begins; who never had a
    // channel has none.
    const line = sql`(select d.id from deliveries as d where d.org_id = h.org_id
      and d.state = ${sql.lit(state)} and d.state <> 'delivered' limit ${
      sql.lit(COUNTED)
    }) as line`;
    return {
      compile: () =>
        sql<Line>`select coalesce(sum((select count(*) from ${line})), 0) as length,
          min((select min(id) from ${line})) as oldest from outbox_heads as h`.compile(db),
    };
  })
);

/** Deliveries in this state. The oldest has the lowest id, which begins with its message's. */
export async function deliveriesIn(db: Connection, state: "waiting" | "dead"): Promise<Line> {
  const row = await db.row(deliveriesSql(state), {});
  return { length: Math.min(COUNTED, Number(row?.length ?? 0)), oldest: row?.oldest ?? null };
}

const channelsSql = statement<Nothing>()((db) =>
  db.selectFrom("delivery_targets").select(["state", "state_reason"])
    .select((eb) => eb.fn.countAll<number>().as("n")).groupBy(["state", "state_reason"])
);

/** How many channels there are in each state, and why. */
export async function channelsByState(
  db: Connection,
): Promise<{ state: string; state_reason: string; n: number }[]> {
  return (await db.rows(channelsSql, {})).map((row) => ({ ...row, n: Number(row.n) }));
}

const keysAtGatewaysSql = variants((state: KeyProblem) =>
  ofGateways(sql`select k.key_id from provisioned_keys as k where k.org_id = g.org_id
    and k.gateway_id = g.id and k.state = ${sql.lit(state)}`)
);

const newKeysSql = ofGateways(
  sql`select n.key_id from provisioning_new as n where n.org_id = g.org_id`,
);

/** How many rows a query has of each gateway `g`, together. */
function ofGateways(query: RawBuilder<unknown>) {
  return statement<Nothing>()<{ n: number }>((db) => ({
    compile: () =>
      sql<{ n: number }>`select coalesce(sum((select count(*) from (${query}
        limit ${sql.lit(COUNTED)}) as found)), 0) as n from gateways as g`.compile(db),
  }));
}

/** The problems of a key at a gateway. */
export type KeyProblem = "waiting" | "stuck" | "diverged";

/**
 * How many keys are in this state, at all gateways together. Those of which gateways have no row
 * yet wait.
 */
export async function keysAtGateways(db: Connection, state: KeyProblem): Promise<number> {
  const fresh = state === "waiting" ? Number((await db.row(newKeysSql, {}))?.n ?? 0) : 0;
  const rows = Number((await db.row(keysAtGatewaysSql(state), {}))?.n ?? 0);
  return Math.min(COUNTED, fresh + rows);
}

/** How many gateways can't be reached or believed. */
export const failingGateways = numberOf((db) =>
  db.selectFrom("gateways").select((eb) => eb.fn.countAll<number>().as("n"))
    .where("failing_since", "is not", null)
);

/** A run that did not open or shut counts as the longest that is waited for. */
const canariesSql = statement<{ since: string; longest: number; slow: number }>()<
  { opened: number | null; shut: number | null; slow: number | null }
>((db, p) => {
  const last = (column: "opened_ms" | "shut_ms") =>
    sql`(select case when r.${sql.ref(column)} < 0 then ${p.longest} else r.${
      sql.ref(column)
    } end from canary_runs as r where r.org_id = g.org_id and r.gateway_id = g.id
      and r.at > ${p.since} and r.state = 'done' order by r.at desc limit 1)`;
  return {
    compile: () =>
      sql<{ opened: number | null; shut: number | null; slow: number | null }>`select
        max(opened) as opened, max(shut) as shut,
        sum(case when opened > ${p.slow} or shut > ${p.slow} then 1 else 0 end) as slow
        from (select ${last("opened_ms")} as opened, ${last("shut_ms")} as shut
          from gateways as g) as each_one`.compile(db),
  };
});

/** The slowest of the gateways' newest runs since then, in milliseconds, and how many are slow. */
export async function canaries(
  db: Connection,
  p: { since: string; longest: number; slow: number },
): Promise<{ opened: number | null; shut: number | null; slow: number }> {
  const row = await db.row(canariesSql, p);
  const msOf = (ms: number | null | undefined) => ms == null ? null : Number(ms);
  return { opened: msOf(row?.opened), shut: msOf(row?.shut), slow: Number(row?.slow ?? 0) };
}

const damagesSql = statement<Nothing>()<{ object: string; n: number }>((db) => ({
  compile: () =>
    sql<{ object: string; n: number }>`select object, count(*) as n
      from (select object from damages limit ${sql.lit(COUNTED)}) as found group by object`
      .compile(db),
}));

/** How many rows of each kind are damaged. */
export async function damagesByObject(db: Connection): Promise<{ object: string; n: number }[]> {
  return (await db.rows(damagesSql, {})).map((row) => ({ ...row, n: Number(row.n) }));
}
