import { sql } from "kysely";
import { rowOf } from "../../storage/rows.ts";
import { statement } from "../../storage/statement.ts";
import { change, numberOf } from "../../storage/statement-functions.ts";
import { removes } from "../../storage/table-statements.ts";
import type { Connection, Tx } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";
import { type Finding, meaningOf } from "./findings.ts";
import type { Kind } from "./source.ts";

/** The import's data of an object. */
export interface Imported {
  id: string;
  there: string;
  here: string;
}

type OfKind = { org_id: string; kind: string };

/** The texts of a JSON array as a sub-query. */
function each(ids: unknown, dialect: "postgres" | "sqlite") {
  return dialect === "postgres"
    ? sql<string>`(select w.value from json_array_elements_text(${ids}::json) as w)`
    : sql<string>`(select w.value from json_each(${ids}) as w)`;
}

const importedSql = statement<OfKind & { ids: string }>()((db, p, dialect) =>
  db.selectFrom("imported_objects").select(["id", "there", "here"])
    .where("org_id", "=", p.org_id).where("kind", "=", p.kind)
    .where("id", "in", each(p.ids, dialect))
);

/** Those of these objects that were imported before; one query. */
export async function importedOf(
  db: Connection,
  org_id: string,
  kind: Kind,
  ids: readonly string[],
): Promise<Map<string, Imported>> {
  const rows = await db.rows(importedSql, { org_id, kind, ids: JSON.stringify(ids) });
  return new Map(rows.map((row) => [row.id, row]));
}

const noteSql = statement<OfKind & Imported>()((db, p) =>
  db.insertInto("imported_objects").values(rowOf("imported_objects", p)).onConflict((conflict) =>
    conflict.columns(["org_id", "kind", "id"]).doUpdateSet({
      there: sql`excluded.there`,
      here: sql`excluded.here`,
    })
  )
);

/** Notes that an object was taken over. */
export async function noteImported(
  tx: Tx,
  org_id: string,
  kind: Kind,
  object: Imported,
): Promise<void> {
  const { id, there, here } = object;
  await tx.send(noteSql, { org_id, kind, id, there, here });
}

type FindingRow = OfKind & Record<"id" | "code" | "detail", string>;

const addFindingSql = statement<FindingRow>()((db, p) =>
  db.insertInto("import_findings").values(rowOf("import_findings", p)).onConflict((conflict) =>
    conflict.columns(["org_id", "kind", "id", "code"]).doUpdateSet({ detail: sql`excluded.detail` })
  )
);

/** Notes a difference; one of the same object and code is replaced. */
export async function addFinding(tx: Tx, org_id: string, finding: Finding): Promise<void> {
  const { kind, id, code, detail } = finding;
  await tx.send(addFindingSql, { org_id, kind, id, code, detail });
}

const clearFindingsSql = statement<OfKind & { ids: string }>()((db, p, dialect) =>
  db.deleteFrom("import_findings").where("org_id", "=", p.org_id).where("kind", "=", p.kind)
    .where("id", "in", each(p.ids, dialect))
);

/** Forgets what was found of these objects before. */
export async function clearFindings(
  tx: Tx,
  org_id: string,
  kind: Kind,
  ids: readonly string[],
): Promise<void> {
  await tx.change(clearFindingsSql, { org_id, kind, ids: JSON.stringify(ids) });
}

/** Forgets every difference of one code. Reads those of the kind. */
export const forgetFindings = change(removes("import_findings", "org_id", "kind", "code"));

const foundSql = statement<OfKind & { ids: string }>()((db, p, dialect) =>
  db.selectFrom("import_findings").select(["id", "code"])
    .where("org_id", "=", p.org_id).where("kind", "=", p.kind)
    .where("id", "in", each(p.ids, dialect))
);

/** Those of these objects of which the newest run said that what is there does not come. */
export async function leftOut(
  db: Connection,
  org_id: string,
  kind: Kind,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await db.rows(foundSql, { org_id, kind, ids: JSON.stringify(ids) });
  return new Set(rows.filter(({ code }) => meaningOf(code)[0] !== "changed").map(({ id }) => id));
}

/** The ids of an imported key: its own, or that of its first use since. */
export const places = ["c.key_id", "c.imported_as"] as const;

const openKeysBy = (place: typeof places[number]) =>
  variants((limit: number) =>
    statement<{ org_id: string; after: string }>()((db, p) =>
      db.selectFrom("imported_objects as o")
        .innerJoin("credentials as c", (join) =>
          join.onRef("c.org_id", "=", "o.org_id").onRef(place, "=", "o.id"))
        .select("o.id")
        .where("o.org_id", "=", p.org_id).where("o.kind", "=", "key").where("o.id", ">", p.after)
        .where("c.state", "=", "active")
        .orderBy("o.id").limit(sql.lit(limit))
    )
  );

const openKeysSql = {
  "c.key_id": openKeysBy("c.key_id"),
  "c.imported_as": openKeysBy("c.imported_as"),
};

/**
 * Keys that came, stand in a place and are active here, in the order of the ids by which they came,
 * after one of them.
 */
export async function openKeysAfter(
  db: Connection,
  org_id: string,
  place: typeof places[number],
  after: string,
  limit: number,
): Promise<string[]> {
  return (await db.rows(openKeysSql[place](limit), { org_id, after })).map(({ id }) => id);
}

type FindingPlace = { org_id: string; kind: string; id: string; code: string };

const findingsSql = variants((limit: number) =>
  statement<FindingPlace>()((db, p) =>
    db.selectFrom("import_findings").select(["kind", "id", "code", "detail"])
      .where("org_id", "=", p.org_id)
      .where(sql<boolean>`(kind, id, code) > (${p.kind}, ${p.id}, ${p.code})`)
      .orderBy("kind").orderBy("id").orderBy("code").limit(sql.lit(limit))
  )
);

/** Differences that come after one, in the order of kind, id and code. */
export function findingsAfter(
  db: Connection,
  org_id: string,
  after: Pick<Finding, "id"> & { kind: string; code: string },
  limit: number,
): Promise<{ kind: string; id: string; code: string; detail: string }[]> {
  const { kind, id, code } = after;
  return db.rows(findingsSql(limit), { org_id, kind, id, code });
}

/** How far a kind came in the newest run. */
export interface KindRun {
  kind: Kind;
  source: string;
  began_at: string;
  ended_at: string | null;
  seen: number;
  others: number;
  /** JSON. */
  dropped: string;
  /**
   * JSON of two objects: how many documents each source had, and how many another source had first.
   * For keys a third holds what is in doubt.
   */
  sources: string;
}

/** Says how far a kind came. */
export const putRun = change((
  db,
  p: OfKind & { [K in Exclude<keyof KindRun, "kind">]: KindRun[K] },
) =>
  db.insertInto("imports").values(rowOf("imports", p)).onConflict((conflict) =>
    conflict.columns(["org_id", "kind"]).doUpdateSet({
      source: sql`excluded.source`,
      began_at: sql`excluded.began_at`,
      ended_at: sql`excluded.ended_at`,
      seen: sql`excluded.seen`,
      others: sql`excluded.others`,
      dropped: sql`excluded.dropped`,
      sources: sql`excluded.sources`,
    })
  )
);

const runsSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("imports")
    .select(["kind", "source", "began_at", "ended_at", "seen", "others", "dropped", "sources"])
    .where("org_id", "=", p.org_id)
);

/** How far each kind came. */
export async function runsOf(db: Connection, org_id: string): Promise<KindRun[]> {
  const rows = await db.rows(runsSql, { org_id });
  // as: putRun alone writes kinds; counts come back as texts from one of the engines.
  return rows.map((row) => ({
    ...row,
    kind: row.kind as Kind,
    seen: Number(row.seen),
    others: Number(row.others),
  }));
}

/** How many objects of a kind were taken over. Reads them all. */
export const countImported = numberOf((db, p: OfKind) =>
  db.selectFrom("imported_objects").select((eb) => eb.fn.countAll().as("n"))
    .where("org_id", "=", p.org_id).where("kind", "=", p.kind)
);
