import { sql } from "kysely";
import { rowOf } from "../../../storage/rows.ts";
import { type QueryBuilder, statement } from "../../../storage/statement.ts";
import { all, change, one, value } from "../../../storage/statement-functions.ts";
import { finds, updates } from "../../../storage/table-statements.ts";
import type { Connection, Tx } from "../../../storage/storage.ts";
import { variants } from "../../../storage/variants.ts";

/** A catalogue entry as it is stored; `document` is its JSON text in the wire's member order. */
export interface EntryRow {
  api_id: string;
  policy_id: string;
  document: string;
}

/** All entries of the organisation's catalogue, in its order. */
export const listEntries = all((db, p: { org_id: string }) =>
  db.selectFrom("catalogue_entries").select(["api_id", "policy_id", "document"])
    .where("org_id", "=", p.org_id).orderBy("position")
);

/**
 * The entries that name a plan, in the catalogue's order; with both ids of the plan where anybody
 * knows it.
 */
export const listLiveEntries = all((db, p: { org_id: string }) =>
  db.selectFrom("catalogue_entries as e")
    .leftJoin(
      "plan_ids as i",
      (join) => join.onRef("i.org_id", "=", "e.org_id").onRef("i.id", "=", "e.policy_id"),
    )
    .leftJoin(
      "plans as p",
      (join) => join.onRef("p.org_id", "=", "i.org_id").onRef("p.id", "=", "i.plan_id"),
    )
    .select(["e.policy_id", "e.document", "p.id as plan_id", "p.given_id"])
    .where("e.org_id", "=", p.org_id).where("e.policy_id", "<>", sql.lit(""))
    .orderBy("e.position")
);

/** Id and e-mail of the organisation's catalogue, or undefined. */
export const findCatalogue = one(finds("catalogues", { columns: ["id", "email"] }));

/** The entries of a plan, whichever of its ids they name, and whichever `policy_id` is. */
function ofPlan(db: QueryBuilder, p: { org_id: string; policy_id: string }) {
  const plan = sql`plan_ids as i join plans as p on p.org_id = i.org_id and p.id = i.plan_id
    where i.org_id = ${p.org_id} and i.id = ${p.policy_id}`;
  return db.selectFrom("catalogue_entries as e").where("e.org_id", "=", p.org_id)
    .where(sql<boolean>`e.policy_id in (
      select ${p.policy_id} union select p.id from ${plan} union select p.given_id from ${plan})`);
}

/** The JSON text of the first entry for a plan, which either id names; or undefined. */
export const findEntryOfPlan = value((db, p: { org_id: string; policy_id: string }) =>
  ofPlan(db, p).select("e.document").orderBy("e.position").limit(sql.lit(1))
);

/** The plan of the first entry for an API, or undefined. */
export const findPlanOfApi = value((db, p: { org_id: string; api_id: string }) =>
  db.selectFrom("catalogue_entries").select("policy_id")
    .where("org_id", "=", p.org_id).where("api_id", "=", p.api_id)
    .orderBy("position").limit(sql.lit(1))
);

const plansOfApiSql = variants((limit: number) =>
  statement<{ org_id: string; api_id: string }>()((db, p) =>
    db.selectFrom("catalogue_entries").select("policy_id")
      .where("org_id", "=", p.org_id).where("api_id", "=", p.api_id)
      .where("policy_id", "<>", sql.lit("")).orderBy("position").limit(sql.lit(limit))
  )
);

/** The plans of an API's entries, up to `limit`. */
export async function findPlansOfApi(
  db: Connection,
  org_id: string,
  api_id: string,
  limit: number,
): Promise<string[]> {
  return (await db.rows(plansOfApiSql(limit), { org_id, api_id })).map((row) => row.policy_id);
}

/** The JSON text of the organisation's portal configuration, or undefined. */
export const findConfiguration = value(finds("portal_configurations", { columns: ["document"] }));

const portalStateSql = statement<{ org_id: string }>()((db, p) =>
  db.selectNoFrom((eb) => [
    eb.selectFrom("catalogues").select("revision").where("org_id", "=", p.org_id).as("revision"),
    eb.selectFrom("portal_configurations").select("document").where("org_id", "=", p.org_id)
      .as("configuration"),
  ])
);

/** The catalogue's revision and the configuration's JSON text, each null where there is none. */
export interface PortalState {
  revision: number | null;
  configuration: string | null;
}

/** The state of an organisation's portal. */
export async function findPortalState(db: Connection, org_id: string): Promise<PortalState> {
  return await db.row(portalStateSql, { org_id }) ?? { revision: null, configuration: null };
}

/** Sets the organisation's portal configuration. */
export const putConfiguration = change((db, p: { org_id: string; id: string; document: string }) =>
  db.insertInto("portal_configurations")
    .values({ org_id: p.org_id, id: p.id, document: p.document })
    .onConflict((conflict) =>
      conflict.column("org_id").doUpdateSet({ document: sql`excluded.document` })
    )
);

/** The entries that offer a plan, which either id names, in the catalogue's order. */
export const entriesOfPlan = all((db, p: { org_id: string; policy_id: string }) =>
  ofPlan(db, p).select(["e.position", "e.document"]).orderBy("e.position")
);

/** Replaces an entry's document in a catalogue that this transaction holds. */
export const replaceEntry = change(updates("catalogue_entries", "document"));

const upsertCatalogueSql = statement<{ org_id: string; id: string; email: string }>()((db, p) =>
  db.insertInto("catalogues")
    .values({ org_id: p.org_id, id: p.id, email: p.email, revision: sql.lit(1) })
    .onConflict((conflict) =>
      conflict.column("org_id").doUpdateSet({
        email: sql`excluded.email`,
        revision: sql`catalogues.revision + 1`,
      })
    )
);

const clearEntriesSql = statement<{ org_id: string }>()((db, p) =>
  db.deleteFrom("catalogue_entries").where("org_id", "=", p.org_id)
);

const insertEntrySql = statement<
  { org_id: string; position: number; api_id: string; policy_id: string; document: string }
>()((db, p) => db.insertInto("catalogue_entries").values(rowOf("catalogue_entries", p)));

/** Replaces the organisation's catalogue and raises its revision, by which readers notice. */
export async function putCatalogue(
  tx: Tx,
  catalogue: { org_id: string; id: string; email: string; entries: readonly EntryRow[] },
): Promise<void> {
  const { org_id, id, email, entries } = catalogue;
  await tx.change(upsertCatalogueSql, { org_id, id, email });
  await tx.change(clearEntriesSql, { org_id });
  for (const [position, entry] of entries.entries()) {
    await tx.change(insertEntrySql, {
      org_id,
      position,
      api_id: entry.api_id,
      policy_id: entry.policy_id,
      document: entry.document,
    });
  }
}
