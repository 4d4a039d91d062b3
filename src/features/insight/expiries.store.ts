import { sql } from "kysely";
import { statement } from "../../storage/statement.ts";
import { atMost } from "../../storage/statement-functions.ts";
import type { Connection } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";
import { renewedBySql } from "../certificates/certificate-renewals.store.ts";

/** Keys that end between two bounds are counted to here. */
const COUNTED = 1000;

type Org = { org_id: string };

/** One look into the index for each part, of so many entries at most. */
const keyEndsSql = variants((bounds: number) =>
  statement<Org & Record<string, string>>()<{ part: number; n: number }>((db, p) => ({
    compile: () => {
      const arms = Array.from({ length: bounds + 1 }, (_, n) => {
        const from = n === 0 ? sql`` : sql`and expires_at >= ${p[`b${n - 1}`]}`;
        const to = n === bounds ? sql`` : sql`and expires_at < ${p[`b${n}`]}`;
        return sql`select ${sql.lit(n)} as part, count(*) as n from (select key_id from credentials
          where org_id = ${p.org_id} and expires_at is not null and state <> 'revoked'
          ${from} ${to} limit ${sql.lit(COUNTED)}) as ${sql.ref(`part_${n}`)}`;
      });
      return sql<{ part: number; n: number }>`${sql.join(arms, sql` union all `)}`.compile(db);
    },
  }))
);

/**
 * How many keys end before the first of `bounds`, between each two, and after the last; each up to
 * 1,000.
 */
export async function countKeyEnds(
  db: Connection,
  org_id: string,
  bounds: readonly string[],
): Promise<number[]> {
  const named = Object.fromEntries(bounds.map((bound, n) => [`b${n}`, bound]));
  const rows = await db.rows(keyEndsSql(bounds.length), { ...named, org_id });
  const counts = bounds.map(() => 0).concat(0);
  for (const { part, n } of rows) counts[Number(part)] = Number(n);
  return counts;
}

/** A key that ends. */
interface EndingKey {
  key_id: string;
  mask: string;
  name: string | null;
  developer_id: string;
  developer_email: string | null;
  /** A JSON array of plan ids. */
  plans: string;
  expires_at: string;
}

/** The keys that end next. */
export const keysEnding = atMost((db, p: Org & { now: string }, limit) =>
  db.selectFrom("credentials as c")
    .leftJoin(
      "developers as d",
      (join) => join.onRef("d.org_id", "=", "c.org_id").onRef("d.id", "=", "c.developer_id"),
    )
    .select(["c.key_id", "c.mask", "c.name", "c.developer_id", "c.plans"])
    .select("d.email_key as developer_email")
    .select((eb) => eb.ref("c.expires_at").$notNull().as("expires_at"))
    .where("c.org_id", "=", p.org_id).where("c.expires_at", "is not", null)
    .where("c.state", "<>", sql.lit("revoked")).where("c.expires_at", ">=", p.now)
    .orderBy("c.expires_at").orderBy("c.key_id").limit(limit)
);

/** Reports of leaks that are looked at for keys that still open something. */
const REPORTS_LOOKED_AT = 10_000;

/** A key that leaked and still opens something, and how many there are. */
interface LeakedKey extends Omit<EndingKey, "expires_at"> {
  reported_at: string;
  reported_by: string;
  url: string;
  count: number;
}

/** Of the newest 10,000 reports those of keys that are not settled, the oldest first. */
export const openLeaks = atMost((db, p: Org & { now: string }, limit) =>
  db.selectFrom(
    db.selectFrom("leaks").select(["org_id", "object_id", "reported_at", "reported_by", "url"])
      .where("org_id", "=", p.org_id).where("object", "=", sql.lit("credential"))
      .where("dismissed_at", "is", null)
      .orderBy("reported_at", "desc").orderBy("object_id", "desc")
      .limit(sql.lit(REPORTS_LOOKED_AT)).as("k"),
  )
    .innerJoin(
      "credentials as c",
      (join) => join.onRef("c.org_id", "=", "k.org_id").onRef("c.key_id", "=", "k.object_id"),
    )
    .leftJoin(
      "developers as d",
      (join) => join.onRef("d.org_id", "=", "c.org_id").onRef("d.id", "=", "c.developer_id"),
    )
    .select(["c.key_id", "c.mask", "c.name", "c.developer_id", "c.plans"])
    .select(["k.reported_at", "k.reported_by", "k.url", "d.email_key as developer_email"])
    .select(sql<number>`count(*) over ()`.as("count"))
    .where("c.state", "<>", sql.lit("revoked")).where("c.replaced_by", "is", null)
    .where((eb) => eb.or([eb("c.expires_at", "is", null), eb("c.expires_at", ">", p.now)]))
    .orderBy("k.reported_at").orderBy("c.key_id").limit(limit)
);

/** A certificate that ends; `newer` is not null where one of the same names ends later. */
interface EndingCertificate {
  fingerprint: string;
  name: string;
  not_after: string;
  newer: string | null;
}

/** One walk of the index for each kind, then the few that were found. */
const certificatesEndingSql = variants((kinds: string, limit: number) =>
  statement<Org & { now: string }>()<EndingCertificate>((db, p) => ({
    compile: () => {
      const arms = kinds.split(" ").map((kind) =>
        sql`select * from (select fingerprint, subject_key, not_after, renewal_names from certificates
          where org_id = ${p.org_id} and kind = ${sql.lit(Number(kind))} and not_after >= ${p.now}
          and not_after < '~' and not_after >= not_before order by not_after, position limit ${
          sql.lit(limit)
        }) as ${sql.ref(`kind_${kind}`)}`
      );
      return sql<EndingCertificate>`select c.fingerprint, c.subject_key as name, c.not_after,
        ${renewedBySql({ org_id: p.org_id, now: p.now })} as newer
        from (${sql.join(arms, sql` union all `)}) as c
        order by c.not_after limit ${sql.lit(limit)}`.compile(db);
    },
  }))
);

/** Certificates of each kind that are looked at for those that nothing follows. */
const LOOKED_AT = 1000;

/** A certificate that no other one of the same names outlasts. */
export type DueCertificate = Omit<EndingCertificate, "newer">;

/**
 * One walk of the index for each kind, and a look for what follows each: a join would read every
 * certificate.
 */
const dueSql = variants((kinds: string, newestFirst: boolean) =>
  statement<Org & { from: string; to: string; now: string }>()<DueCertificate>((db, p) => ({
    compile: () => {
      const order = sql.raw(newestFirst ? "desc" : "asc");
      const arms = kinds.split(" ").map((kind) =>
        sql`select * from (select fingerprint, subject_key, not_after, renewal_names from certificates
          where org_id = ${p.org_id} and kind = ${sql.lit(Number(kind))}
          and not_after >= ${p.from} and not_after < ${p.to} and not_after >= not_before
          order by not_after ${order}, position ${order} limit ${sql.lit(LOOKED_AT)}) as ${
          sql.ref(`kind_${kind}`)
        }`
      );
      return sql<DueCertificate>`select c.fingerprint, c.subject_key as name, c.not_after
        from (${sql.join(arms, sql` union all `)}) as c
        where ${renewedBySql({ org_id: p.org_id, now: p.now })} is null
        order by c.not_after ${order}, c.fingerprint`.compile(db);
    },
  }))
);

/**
 * The certificates of these kinds that end between two times and that nothing follows, in the order
 * of their ends or the reverse. Of each kind the first 1,000 that end there are looked at.
 */
export function dueCertificates(
  db: Connection,
  org_id: string,
  kinds: readonly number[],
  span: { from: string; to: string; now: string },
  newestFirst: boolean,
): Promise<DueCertificate[]> {
  return db.rows(dueSql(kinds.join(" "), newestFirst), { org_id, ...span });
}

/** The certificates of these kinds that end next. */
export function certificatesEnding(
  db: Connection,
  org_id: string,
  kinds: readonly number[],
  now: string,
  limit: number,
): Promise<EndingCertificate[]> {
  return db.rows(certificatesEndingSql(kinds.join(" "), limit), { org_id, now });
}
