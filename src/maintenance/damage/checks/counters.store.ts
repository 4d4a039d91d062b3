import { sql } from "kysely";
import { type Dialect, statement } from "../../../storage/statement.ts";
import type { Connection } from "../../../storage/storage.ts";
import type { Check } from "./check.ts";

/** The counters of a list: their words, and the counted rows. */
interface CountedList {
  name: string;
  /** SQL: the list's name in the counters, of a row; and which counters are of it. */
  list: string;
  counters: string;
  from: string;
  /** SQL: what sorts the list; and how many of its characters name a bucket, by level. */
  key: (dialect: Dialect) => string;
  levels: readonly number[];
  /** The step of the schema that began to count it. */
  since?: number;
}

const INSTANT = [0, 7, 10, 13, 16];

const lists: readonly CountedList[] = [
  {
    name: "key requests",
    list: "'key_requests/' || state || '/' || approved",
    counters: "list like 'key_requests/%'",
    from: "key_requests",
    key: () => "instant",
    levels: INSTANT,
  },
  {
    name: "developers",
    list: "'developers'",
    counters: "list = 'developers'",
    from: "developers",
    key: () => "instant",
    levels: INSTANT,
  },
  {
    name: "plans",
    list: "'plans'",
    counters: "list = 'plans'",
    from: "plans where deleted_at is null",
    key: () => "date_created",
    levels: INSTANT,
  },
  {
    name: "certificates by addition",
    list: "'certificates/' || kind",
    counters: "list like 'certificates/%' and list <> 'certificates/positions'",
    from: "certificates",
    key: (dialect) =>
      dialect === "sqlite" ? "printf('%012d', position)" : "lpad(position::text, 12, '0')",
    levels: [0, 4, 6, 8, 10],
  },
  {
    name: "certificates by end",
    list: "'certificate_ends/' || kind",
    counters: "list like 'certificate_ends/%'",
    from: "certificates",
    key: () => "not_after",
    levels: [0, 4, 7, 10, 13],
    since: 17,
  },
];

interface Difference {
  org_id: string;
  list: string;
  bucket: string;
  counted: number;
  there: number;
}

/** The buckets whose counters differ; the engine adds up, so that nothing of it is kept here. */
const differing = (one: CountedList, level: number) =>
  statement<Record<never, never>>()<Difference>((db, _, dialect) => ({
    compile: () =>
      sql<Difference>`select org_id, list, bucket, sum(c) as counted, sum(t) as there from (
          select org_id, list, bucket, n as c, 0 as t from list_counts
          where level = ${sql.lit(level)} and ${sql.raw(one.counters)}
          union all
          select org_id, ${sql.raw(one.list)}, ${bucketOf(one, level, dialect)}, 0, 1
          from ${sql.raw(one.from)}
        ) as both_sides group by org_id, list, bucket having sum(c) <> sum(t)
        order by org_id, list, bucket limit ${sql.lit(MOST_NAMED)}`.compile(db),
  }));

function bucketOf({ key, levels }: CountedList, level: number, dialect: Dialect) {
  return sql`substr(${sql.raw(key(dialect))}, 1, ${sql.lit(levels[level] ?? 0)})`;
}

/** So many of one level are named. */
const MOST_NAMED = 20;

const statements = lists.map((one) => ({
  ...one,
  differing: one.levels.map((_, level) => differing(one, level)),
}));

/** The step of the schema that began to count certificates by ranges of names. */
const NAMES_SINCE = 104;

/** Ranges of names that hold other certificates than they count. */
const differingRanges = statement<Record<never, never>>()<
  { org_id: string; level: number; key: string; counted: number; there: number }
>((db) => ({
  compile: () => {
    const there = (kind: number) =>
      sql`(select count(*) from certificates as c where c.org_id = r.org_id
        and c.kind = ${sql.lit(kind)} and (c.subject_key, c.position) > (r.key, r.position)
        and (r.end_position is null
          or (c.subject_key, c.position) <= (r.end_key, r.end_position)))`;
    const all = sql.join([0, 1, 2, 3].map(there), sql` + `);
    const isRight = sql.join(
      [0, 1, 2, 3].map((kind) => sql`${sql.ref(`n${kind}`)} = ${there(kind)}`),
      sql` and `,
    );
    return sql<{ org_id: string; level: number; key: string; counted: number; there: number }>`
      select org_id, level, key, n0 + n1 + n2 + n3 as counted, ${all} as there
      from (select org_id, level, key, position, n0, n1, n2, n3, counted,
          lead(key) over (partition by org_id, level order by key, position) as end_key,
          lead(position) over (partition by org_id, level order by key, position) as end_position
        from certificate_name_ranges) as r
      where counted = 1 and not (${isRight})
      order by org_id, level, key limit ${sql.lit(MOST_NAMED)}`.compile(db);
  },
}));

/** The counters that pages of long lists are found by, against the lists themselves. */
export const counters: Check = async function* ({ connection, frozen, schema }) {
  const check = "counters";
  if (schema < NAMES_SINCE) {
    yield {
      check,
      result: "skip",
      text: `schema ${schema} does not count certificates by name yet`,
    };
  } else {
    const ranges = await frozen(() => connection.rows(differingRanges, {}));
    for (const { org_id, key, counted, there } of ranges) {
      yield {
        check,
        result: "fail",
        text: `certificates of organisation ${org_id} from the name ${JSON.stringify(key)} on: ${
          Number(counted)
        } counted, ${Number(there)} there`,
        advice:
          "nothing is lost, but a page in the order of names may begin at a wrong position: keydesk check --recount",
      };
    }
    if (ranges.length === 0) {
      yield { check, result: "ok", text: "certificates by name are as many as are counted" };
    }
  }
  for (const { name, differing, since = 0 } of statements) {
    if (schema < since) {
      yield { check, result: "skip", text: `schema ${schema} does not count ${name} yet` };
      continue;
    }
    let count = 0;
    for (const [level, query] of differing.entries()) {
      const rows = await frozen(() => connection.rows(query, {}));
      count += rows.length;
      for (const { org_id, list, bucket, counted, there } of rows) {
        const where = level === 0 ? "in all" : `in ${bucket}`;
        yield {
          check,
          result: "fail",
          text: `${list} of organisation ${org_id} ${where}: ${Number(counted)} counted, ${
            Number(there)
          } there`,
          advice:
            "nothing is lost, but numbers of pages are wrong and a page may begin at a wrong position: keydesk check --recount",
        };
      }
      // A problem above is one below as well.
      if (count > 0) break;
    }
    if (count === 0) yield { check, result: "ok", text: `${name} are as many as are counted` };
  }
};

const recountSql = lists.flatMap((one) => [
  statement<Record<never, never>>()<unknown>((db) => ({
    compile: () => sql`delete from list_counts where ${sql.raw(one.counters)}`.compile(db),
  })),
  ...one.levels.map((_, level) =>
    statement<Record<never, never>>()<unknown>((db, _, dialect) => ({
      compile: () =>
        sql`insert into list_counts (org_id, list, level, bucket, shard, n)
          select org_id, ${sql.raw(one.list)}, ${sql.lit(level)},
            ${bucketOf(one, level, dialect)}, 0, count(*)
          from ${sql.raw(one.from)} group by 1, 2, 4`.compile(db),
    }))
  ),
]);

/** Certificates are counted by name after the next start, some at a time. */
const uncountNamesSql = [
  sql`delete from certificate_name_ranges`,
  ...[0, 1].map((level) =>
    sql`insert into certificate_name_ranges
      (org_id, level, key, position, n0, n1, n2, n3, counted)
      select id, ${sql.lit(level)}, '', 0, 0, 0, 0, 0, 0 from organisations as o
      where exists (select 1 from certificates as c where c.org_id = o.id)`
  ),
].map((query) =>
  statement<Record<never, never>>()<unknown>((db) => ({ compile: () => query.compile(db) }))
);

/**
 * Counts every list anew, in the transaction that the connection is in. No one may write to the
 * store meanwhile: on PostgreSQL the table of counters must be locked, which every change of a list
 * waits for at its end.
 */
export async function recount(connection: Connection): Promise<void> {
  for (const one of recountSql) await connection.change(one, {});
  for (const one of uncountNamesSql) await connection.change(one, {});
}
