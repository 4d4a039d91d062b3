import { sql } from "kysely";
import { type Dialect, type QueryBuilder, statement } from "../../storage/statement.ts";
import { values } from "../../storage/statement-functions.ts";
import type { Connection } from "../../storage/storage.ts";
import type { Difference } from "./findings.ts";
import { places } from "./imports.store.ts";

type OfOrganisation = { org_id: string };
type Ids = OfOrganisation & { ids: string };
type Found = OfOrganisation & { code: string };

/** The texts of a JSON array as a sub-query. */
function each(ids: unknown, dialect: Dialect) {
  return dialect === "postgres"
    ? sql<string>`(select w.value from json_array_elements_text(${ids}::json) as w)`
    : sql<string>`(select w.value from json_each(${ids}) as w)`;
}

/** Keys that came by an import and open by themselves, with nothing else to present. */
function opening(db: QueryBuilder, org_id: string, place: typeof places[number]) {
  return db.selectFrom("imported_objects as o")
    .innerJoin(
      "credentials as c",
      (join) => join.onRef("c.org_id", "=", "o.org_id").onRef(place, "=", "o.id"),
    )
    .where("o.org_id", "=", org_id).where("o.kind", "=", sql.lit("key"))
    .where("c.state", "=", sql.lit("active")).where("c.kind", "=", sql.lit("token"));
}

const amongSql = places.map((place) =>
  statement<Ids>()((db, p, dialect) =>
    opening(db, p.org_id, place).select("o.id").where("o.id", "in", each(p.ids, dialect))
  )
);

/** Those of these keys that came by an import and open by themselves. */
export async function openAmong(
  db: Connection,
  org_id: string,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const found: string[] = [];
  for (const sql of amongSql) {
    found.push(...(await db.rows(sql, { org_id, ids: JSON.stringify(ids) })).map(({ id }) => id));
  }
  return [...new Set(found)].sort();
}

const countSql = places.map((place) =>
  statement<OfOrganisation>()((db, p) =>
    opening(db, p.org_id, place).select((eb) => eb.fn.countAll().as("n"))
  )
);

/** How many keys came by imports and open by themselves. Reads them all. */
export async function countOpen(db: Connection, org_id: string): Promise<number> {
  let all = 0;
  for (const sql of countSql) all += Number((await db.row(sql, { org_id }))?.n ?? 0);
  return all;
}

const foundSql = places.map((place) =>
  statement<Found>()((db, p) =>
    opening(db, p.org_id, place)
      .innerJoin("import_findings as f", (join) =>
        join.onRef("f.org_id", "=", "o.org_id").onRef("f.kind", "=", "o.kind")
          .onRef("f.id", "=", "o.id"))
      .select(["o.id", "f.detail"]).where("f.code", "=", p.code)
  )
);

/** The open keys for which an import had this finding, with its text. Reads every imported key. */
export async function openAndFound(
  db: Connection,
  org_id: string,
  code: Difference,
): Promise<{ id: string; detail: string }[]> {
  const found: { id: string; detail: string }[] = [];
  for (const sql of foundSql) found.push(...await db.rows(sql, { org_id, code }));
  return found;
}

const reportedSql = statement<Ids>()((db, p, dialect) =>
  db.selectFrom("import_findings").select(["id", "detail"])
    .where("org_id", "=", p.org_id).where("kind", "=", sql.lit("key"))
    .where("code", "=", sql.lit("basic_password")).where("id", "in", each(p.ids, dialect))
);

/** Those of these keys that are user names by a source with sessions, and what to do. */
export async function reportedUserNames(
  db: Connection,
  org_id: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.rows(reportedSql, { org_id, ids: JSON.stringify(ids) });
  return new Map(rows.map(({ id, detail }) => [id, detail]));
}

/** The organisations into which keys were imported. */
export const organisationsWithKeys = values((db) =>
  db.selectFrom("imports").select("org_id").where("kind", "=", sql.lit("key")).orderBy("org_id")
);
