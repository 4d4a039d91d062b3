import { sql } from "kysely";
import { statement } from "../../storage/statement.ts";
import type { Connection } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";

/** Of each day so many of the busiest are looked at. */
const OF_A_DAY = 20;
const DAY_HOURS = 24;
/** Keys that are looked at for silent ones. */
const LOOKED_AT = 1000;

/** The kinds of things that can be busy. */
type BusyKind = "key" | "plan";

/** The calls of a thing. */
interface BusyRow {
  object_id: string;
  success: number;
  limited: number;
  refused: number;
}

type Asked = { org_id: string; day: number; from: number; until: number };

/**
 * The busiest of each day, by an index that begins with the day; the sums of each by the table's
 * own order.
 */
const busiestSql = variants((kind: BusyKind, days: number, limit: number) =>
  statement<Asked>()<BusyRow>((db, p) => ({
    compile: () => {
      const arms = Array.from(
        { length: days },
        (_, n) =>
          sql`select object_id from (select object_id from usage_days
          where org_id = ${p.org_id} and kind = ${sql.lit(kind)}
          and (begins / ${sql.lit(DAY_HOURS)}) = ${p.day} + ${sql.lit(n)}
          order by success desc limit ${sql.lit(OF_A_DAY)}) as ${sql.ref(`day_${n}`)}`,
      );
      // Of one thing at a time: a join would let PostgreSQL read everybody's calls.
      const sumOf = (what: string, of: string) =>
        sql`(select coalesce(sum(${
          sql.raw(what)
        }), 0) from usage_days as u where u.org_id = ${p.org_id}
          and u.kind = ${sql.lit(kind)} and u.object_id = ${sql.ref(of)}
          and u.begins >= ${p.from} and u.begins < ${p.until})`;
      return sql<BusyRow>`select t.object_id, t.success,
        ${sumOf("error_429", "t.object_id")} as limited,
        ${sumOf("error_401 + error_403", "t.object_id")} as refused
        from (select i.object_id, ${sumOf("success", "i.object_id")} as success
          from (${sql.join(arms, sql` union `)}) as i
          where not exists (select 1 from usage_erasures as e
            where e.org_id = ${p.org_id} and e.key_id = i.object_id)
          order by success desc, i.object_id limit ${sql.lit(limit)}) as t
        order by t.success desc, t.object_id`
        .compile(db);
    },
  }))
);

/** Those with the most calls between two hours, which begin UTC days. */
export async function busiestOf(
  db: Connection,
  { org_id, from, until }: { org_id: string; from: number; until: number },
  kind: BusyKind,
  limit: number,
): Promise<BusyRow[]> {
  const days = (until - from) / DAY_HOURS;
  const params = { org_id, from, until, day: from / DAY_HOURS };
  const rows = await db.rows(busiestSql(kind, days, limit), params);
  return rows.map(({ object_id, success, limited, refused }) => ({
    object_id,
    success: Number(success),
    limited: Number(limited),
    refused: Number(refused),
  }));
}

/** The calls of a thing that were let in on a day, which begins in this hour. */
interface BusyDay {
  object_id: string;
  begins: number;
  success: number;
}

const daysSql = variants((ids: number) =>
  statement<{ org_id: string; from: number; until: number; [id: `id${number}`]: string }>()<
    BusyDay
  >((db, p) =>
    db.selectFrom("usage_days").select(["object_id", "begins"])
      .select((eb) => eb.fn.sum<number>("success").as("success"))
      .where("org_id", "=", p.org_id).where("kind", "=", sql.lit("plan"))
      .where("object_id", "in", Array.from({ length: ids }, (_, n) => p[`id${n}`] ?? ""))
      .where("begins", ">=", p.from).where("begins", "<", p.until)
      .groupBy(["object_id", "begins"])
  )
);

/** Of a few plans the calls of each day that had any. */
export async function daysOfPlans(
  db: Connection,
  asked: { org_id: string; from: number; until: number },
  ids: readonly string[],
): Promise<BusyDay[]> {
  if (ids.length === 0) return [];
  const named = Object.fromEntries(ids.map((id, n) => [`id${n}`, id]));
  const rows = await db.rows(daysSql(ids.length), { ...asked, ...named });
  return rows.map((row) => ({
    ...row,
    begins: Number(row.begins),
    success: Number(row.success),
  }));
}

/** A key as it is named. */
interface NamedKey {
  key_id: string;
  mask: string;
  name: string | null;
  developer_id: string;
  developer_email: string | null;
  /** A JSON array of plan ids. */
  plans: string;
}

const namedSql = variants((ids: number) =>
  statement<{ org_id: string; [id: `id${number}`]: string }>()<NamedKey>((db, p) =>
    db.selectFrom("credentials as c")
      .leftJoin(
        "developers as d",
        (join) => join.onRef("d.org_id", "=", "c.org_id").onRef("d.id", "=", "c.developer_id"),
      )
      .select(["c.key_id", "c.mask", "c.name", "c.developer_id", "c.plans"])
      .select("d.email_key as developer_email")
      .where("c.org_id", "=", p.org_id)
      .where("c.key_id", "in", Array.from({ length: ids }, (_, n) => p[`id${n}`] ?? ""))
  )
);

/** Those of a few keys that are there. */
export async function namedKeys(
  db: Connection,
  org_id: string,
  ids: readonly string[],
): Promise<Map<string, NamedKey>> {
  if (ids.length === 0) return new Map();
  const named = Object.fromEntries(ids.map((id, n) => [`id${n}`, id]));
  const rows = await db.rows(namedSql(ids.length), { ...named, org_id });
  return new Map(rows.map((row) => [row.key_id, row]));
}

/** A silent key, how many there are, and since when nobody uses it. */
interface SilentKey extends NamedKey {
  since: string;
  count: number;
}

const silentSql = variants((limit: number) =>
  statement<{ org_id: string; before: string }>()<SilentKey>((db, p) => ({
    compile: () =>
      sql<
        SilentKey
      >`select s.key_id, s.mask, s.name, s.developer_id, s.developer_email, s.plans, s.since,
          count(*) over () as count from (
        select c.key_id, c.mask, c.name, c.developer_id, c.plans,
          (select d.email_key from developers as d
            where d.org_id = ${p.org_id} and d.id = c.developer_id) as developer_email,
          coalesce((select u.last_used_at from credential_uses as u
            where u.org_id = ${p.org_id} and u.key_id = c.key_id), c.issued_at) as since from (
          select key_id, mask, name, developer_id, plans, issued_at from credentials
          where org_id = ${p.org_id} and state = 'active' and issued_at < ${p.before}
          order by issued_at, key_id limit ${sql.lit(LOOKED_AT)}) as c) as s
      where s.since < ${p.before} order by s.since, s.key_id limit ${sql.lit(limit)}`.compile(db),
  }))
);

/**
 * Of the 1,000 oldest active keys those that were neither issued nor used since `before`, the
 * longest silent first.
 */
export async function silentKeys(
  db: Connection,
  org_id: string,
  before: string,
  limit: number,
): Promise<SilentKey[]> {
  return (await db.rows(silentSql(limit), { org_id, before }))
    .map((row) => ({ ...row, count: Number(row.count) }));
}
