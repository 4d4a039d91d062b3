import { type SelectQueryBuilder, sql } from "kysely";
import type { Place } from "../../kernel/cursor.ts";
import type { Database } from "../../storage/schema.ts";
import { statement } from "../../storage/statement.ts";
import { one } from "../../storage/statement-functions.ts";
import type { Connection } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";
import type { ListedProof } from "./email-proof.ts";

/** A developer as `/v1` shows one; no secret is among it. */
export interface ListedDeveloper extends ListedProof {
  id: string;
  instant: string;
  /** JSON text; its secrets read "". */
  document: string;
  inactive: number;
  has_password: number;
  /** JSON text of their tags; null: none. */
  tags: string | null;
}

type WithDeveloper = Database & { d: Database["developers"] };
type Walk = { org_id: string; inactive: number; sort: string; id: string };

function selectListed<O>(query: SelectQueryBuilder<WithDeveloper, "d", O>) {
  return query
    .leftJoin(
      "developer_emails as e",
      (join) => join.onRef("e.org_id", "=", "d.org_id").onRef("e.id", "=", "d.id"),
    )
    .select(["d.id", "d.instant", "d.document", "d.inactive", "d.tags"])
    .select(["e.state as proof_state", "e.address as proof_address"])
    .select("e.changed_at as proof_changed_at")
    .select(sql<number>`case when d.password_hash is null then 0 else 1 end`.as("has_password"));
}

const walks = {
  newest: walkSql(false, true),
  oldest: walkSql(false, false),
  newestOf: walkSql(true, true),
  oldestOf: walkSql(true, false),
};

function walkSql(inState: boolean, newestFirst: boolean) {
  const direction = newestFirst ? "desc" : "asc";
  const behind = sql.raw(newestFirst ? "<" : ">");
  return variants((limit: number) =>
    statement<Walk>()((db, p) => {
      const mine = selectListed(db.selectFrom("developers as d")).where("d.org_id", "=", p.org_id)
        .where(sql<boolean>`(d.instant, d.id) ${behind} (${p.sort}, ${p.id})`)
        .orderBy("d.instant", direction).orderBy("d.id", direction).limit(sql.lit(limit));
      return inState ? mine.where("d.inactive", "=", p.inactive) : mine;
    })
  );
}

/** Up to `limit` developers behind a place, of those in this state where one is given. */
export function walkDevelopers(
  db: Connection,
  org_id: string,
  walk: { inactive: boolean | undefined; newestFirst: boolean },
  page: { place: Place; limit: number },
): Promise<ListedDeveloper[]> {
  const { inactive, newestFirst } = walk;
  const made = inactive === undefined
    ? newestFirst ? walks.newest : walks.oldest
    : newestFirst
    ? walks.newestOf
    : walks.oldestOf;
  return db.rows(made(page.limit), { org_id, inactive: inactive ? 1 : 0, ...page.place });
}

type Tagged = { org_id: string; tag: string; sort: string; id: string };

const taggedSql = variants((newestFirst: boolean, limit: number) =>
  statement<Tagged>()((db, p) => {
    const direction = newestFirst ? "desc" : "asc";
    const behind = sql.raw(newestFirst ? "<" : ">");
    const found = db.selectFrom("developer_tags as t").innerJoin(
      "developers as d",
      (join) => join.onRef("d.org_id", "=", "t.org_id").onRef("d.id", "=", "t.id"),
    )
      .select("t.instant as listed_at").where("t.org_id", "=", p.org_id).where("t.tag", "=", p.tag)
      .where(sql<boolean>`(t.instant, t.id) ${behind} (${p.sort}, ${p.id})`)
      .orderBy("t.instant", direction).orderBy("t.id", direction).limit(sql.lit(limit));
    return selectListed(found);
  })
);

/** Up to `limit` developers behind a place that are listed under a tag. */
export function taggedDevelopers(
  db: Connection,
  org_id: string,
  { tag, newestFirst }: { tag: string; newestFirst: boolean },
  { place, limit }: { place: Place; limit: number },
): Promise<(ListedDeveloper & { listed_at: string })[]> {
  return db.rows(taggedSql(newestFirst, limit), { org_id, tag, ...place });
}

type ByEmail = { org_id: string; inactive: number; sort: string; id: string };

const byEmailSql = variants((descending: boolean, limit: number) =>
  statement<ByEmail>()((db, p) => {
    const direction = descending ? "desc" : "asc";
    const behind = sql.raw(descending ? "<" : ">");
    return selectListed(db.selectFrom("developers as d")).select("d.email_key")
      .where("d.org_id", "=", p.org_id).where("d.inactive", "=", p.inactive)
      .where(sql<boolean>`(d.email_key, d.id) ${behind} (${p.sort}, ${p.id})`)
      .orderBy("d.email_key", direction).orderBy("d.id", direction).limit(sql.lit(limit));
  })
);

/** Up to `limit` developers in this state behind a place, by their e-mail address in lower case. */
export function developersByEmail(
  db: Connection,
  org_id: string,
  { inactive, descending }: { inactive: boolean; descending: boolean },
  { place, limit }: { place: Place; limit: number },
): Promise<(ListedDeveloper & { email_key: string })[]> {
  const params = { org_id, inactive: inactive ? 1 : 0, ...place };
  return db.rows(byEmailSql(descending, limit), params);
}

const foundSql = variants((limit: number) =>
  statement<{ org_id: string; sort: string; id: string; end: string }>()((db, p) => {
    const found = db.selectFrom("developer_words as w").innerJoin(
      "developers as d",
      (join) => join.onRef("d.org_id", "=", "w.org_id").onRef("d.id", "=", "w.id"),
    )
      .select("w.word").where("w.org_id", "=", p.org_id)
      .where(sql<boolean>`(w.word, w.id) > (${p.sort}, ${p.id})`).where("w.word", "<", p.end)
      .orderBy("w.word").orderBy("w.id").limit(sql.lit(limit));
    return selectListed(found);
  })
);

/** Up to `limit` words that begin with `term`, behind a place, in order, with their developers. */
export function findByWord(
  db: Connection,
  org_id: string,
  term: string,
  page: { place: Place; limit: number },
): Promise<(ListedDeveloper & { word: string })[]> {
  // After every word that begins so; the table sorts by bytes.
  return db.rows(foundSql(page.limit), { org_id, ...page.place, end: `${term}\u{10ffff}` });
}

/** One developer as `/v1` shows one, or undefined. */
export const findListed = one((db, p: { org_id: string; id: string }) =>
  selectListed(db.selectFrom("developers as d"))
    .where("d.org_id", "=", p.org_id).where("d.id", "=", p.id)
);

/** Requests, and keys, of one developer are counted up to here. */
const COUNTED = 1000;
/** How many ids one statement takes; longer lists are given in parts. */
const IDS = 25;

/** The counts of a developer, up to COUNTED of each; without revoked keys. */
export interface DeveloperCounts {
  id: string;
  requests: number;
  keys: number;
}

const countsSql = statement<Record<string, string>>()<DeveloperCounts>((db, p) => {
  const ids = Array.from({ length: IDS }, (_, i) => p[`id${i}`]);
  const keysIn = (state: string) =>
    sql`select 1 as one from credentials as c where c.org_id = d.org_id and c.developer_id = d.id
      and c.state = ${sql.lit(state)}`;
  return {
    compile: () =>
      sql<DeveloperCounts>`select d.id,
        (select count(*) from (
          select 1 as one from key_requests as r where r.org_id = d.org_id and r.by_user = d.id
          limit ${sql.lit(COUNTED)}) as counted) as requests,
        (select count(*) from (
          ${keysIn("active")} union all ${keysIn("suspended")}
          limit ${sql.lit(COUNTED)}) as counted) as keys
        from developers as d where d.org_id = ${p.org_id} and d.id in (${sql.join(ids)})`
        .compile(db),
  };
});

/** The counts of each of these developers. */
export async function countsOf(
  db: Connection,
  org_id: string,
  ids: readonly string[],
): Promise<Map<string, DeveloperCounts>> {
  const counts = new Map<string, DeveloperCounts>();
  for (let start = 0; start < ids.length; start += IDS) {
    const params: Record<string, string> = { org_id };
    for (let i = 0; i < IDS; i++) params[`id${i}`] = ids[start + i] ?? "";
    for (const row of await db.rows(countsSql, params)) counts.set(row.id, row);
  }
  return counts;
}
