import { sql } from "kysely";
import { type Dialect, statement } from "../../storage/statement.ts";
import { change, values } from "../../storage/statement-functions.ts";
import type { Connection } from "../../storage/storage.ts";
import { algorithmOf, wrappedId, type Wrapping, wrappings } from "./chosen-keys.ts";
import type { KeyAlgorithm } from "./murmur.ts";

const wrappingsSql = statement<{ org_id: string }>()((db, p) => {
  const [first, ...others] = wrappings.map((by) =>
    db.selectFrom((eb) =>
      eb.selectFrom("credentials").select("wrapped_by").where("org_id", "=", p.org_id)
        .where("wrapped_by", "=", sql.lit(by)).limit(sql.lit(1)).as("one")
    ).select("wrapped_by")
  );
  return others.reduce((all, one) => all.unionAll(one), first as NonNullable<typeof first>);
});

/**
 * How texts that a person chose were wrapped, of the keys of the organisation that may be such and
 * were never used. A step for each wrapping in an index that is empty in most stores.
 */
export async function wrappingsIn(db: Connection, org_id: string): Promise<Wrapping[]> {
  const rows = await db.rows(wrappingsSql, { org_id });
  // as: markWrapped writes nothing else.
  return rows.map(({ wrapped_by }) => wrapped_by as Wrapping);
}

const findSql = values((db, p: { org_id: string; key_id: string; by: string }) =>
  db.selectFrom("credentials").select("key_id")
    .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
    .where("wrapped_by", "=", p.by).where("kind", "=", sql.lit("token"))
);

/** The ids of keys that are marked and may be known by this text, wrapped in one of these ways. */
export async function chosenIdsOf(
  db: Connection,
  org_id: string,
  text: string,
  by: readonly Wrapping[],
): Promise<string[]> {
  const found: string[] = [];
  for (const one of by) {
    const key_id = await wrappedId(org_id, text, one);
    found.push(...await findSql(db, { org_id, key_id, by: one }));
  }
  return found;
}

/** The key ids of a chosen text, in whichever forms the organisation has keys. */
export async function anyChosenIdsOf(
  db: Connection,
  org_id: string,
  text: string,
): Promise<string[]> {
  return await chosenIdsOf(db, org_id, text, await wrappingsIn(db, org_id));
}

type Ids = { org_id: string; ids: string };

/** The texts of a JSON array as a sub-query. */
function each(ids: string, dialect: Dialect) {
  return dialect === "postgres"
    ? sql<string>`(select w.value from json_array_elements_text(${ids}::json) as w)`
    : sql<string>`(select w.value from json_each(${ids}) as w)`;
}

const markedSql = statement<Ids>()((db, p, dialect) =>
  db.selectFrom("credentials").select("key_id").where("org_id", "=", p.org_id)
    .where("key_id", "in", each(p.ids, dialect)).where("wrapped_by", "is not", null)
);

/** Those of these keys that are marked. */
export async function markedOf(
  db: Connection,
  org_id: string,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db.rows(markedSql, { org_id, ids: JSON.stringify(ids) });
  return rows.map(({ key_id }) => key_id);
}

const unmarkedSql = statement<Ids & { by: string }>()((db, p, dialect) =>
  db.selectFrom("credentials").select("key_id").where("org_id", "=", p.org_id)
    .where("key_id", "in", each(p.ids, dialect))
    .where("wrapped_by", "is", null).where("kind", "=", sql.lit("token"))
    .where("imported_as", "is", null)
    // as: unmarkedOf gives one of them.
    .where("algorithm", "=", p.by as KeyAlgorithm)
);

/**
 * Those of these keys that are not marked as wrapped, and may be: tokens that are known by their
 * imported id.
 */
export async function unmarkedOf(
  db: Connection,
  org_id: string,
  ids: readonly string[],
  by: Wrapping,
): Promise<string[]> {
  if (ids.length === 0) return [];
  const algorithm = algorithmOf(by);
  const rows = await db.rows(unmarkedSql, { org_id, ids: JSON.stringify(ids), by: algorithm });
  return rows.map(({ key_id }) => key_id);
}

/**
 * Marks a key as one that a source showed to be a token, and whose text may have been chosen and
 * wrapped so.
 */
export const markWrapped = change((db, p: { org_id: string; key_id: string; by: Wrapping }) =>
  db.updateTable("credentials").set({ wrapped_by: p.by })
    .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
    .where("kind", "=", sql.lit("token")).where("imported_as", "is", null)
);

/** Takes a key's mark. */
export const unmarkWrapped = change((db, p: { org_id: string; key_id: string }) =>
  db.updateTable("credentials").set({ wrapped_by: null })
    .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
);
