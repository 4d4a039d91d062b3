import { sql } from "kysely";
import type { StoredRow } from "../../storage/schema.ts";
import { columnsOf } from "../../storage/rows.ts";
import { type SqlValue, statement } from "../../storage/statement.ts";
import { change, changed } from "../../storage/statement-functions.ts";
import { inserts, removes } from "../../storage/table-statements.ts";
import type { Connection, Tx } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";
import type { DeletedRow } from "./deleted-developer.ts";

type Columns = keyof StoredRow<"developers">;

/**
 * The source of each column of a restored developer: made anew of the developer, or as it was. A
 * further column is decided upon here.
 */
const columns = {
  org_id: "anew",
  id: "anew",
  email_key: "anew",
  document: "anew",
  secrets: "anew",
  date_created: "anew",
  instant: "anew",
  inactive: "anew",
  worded: "anew",
  sso_key_hash: "anew",
  sso_key_shared: "anew",
  email_folded: "anew",
  email_shared: "anew",
  password_hash: "as it was",
  own_password: "as it was",
  tags: "as it was",
} as const satisfies Record<Columns, "anew" | "as it was">;

type Kept = {
  [C in Columns]: typeof columns[C] extends "as it was" ? C : never;
}[Columns];

// as: Object.entries forgets the names.
const kept = (Object.entries(columns) as [Columns, string][])
  .filter(([, becomes]) => becomes === "as it was").map(([column]) => column) as Kept[];

/** The columns of a developer that come back as they were. */
type KeptColumns = Record<string, SqlValue>;

type Place = { org_id: string; id: string };

const keptSql = statement<Place>()((db, p) =>
  db.selectFrom("developers").select(kept).where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** The columns of a developer's row that come back as they were. */
export async function findKeptColumns(tx: Tx, org_id: string, id: string): Promise<KeptColumns> {
  return await tx.row(keptSql, { org_id, id }) ?? {};
}

const setKeptSql = statement<Place & StoredRow<"developers">>()((db, p) =>
  db.updateTable("developers").set(Object.fromEntries(kept.map((column) => [column, p[column]])))
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Puts back what findKeptColumns gave; a column that is later than the deletion gets `null`. */
export async function setKeptColumns(
  tx: Tx,
  org_id: string,
  id: string,
  values: KeptColumns,
): Promise<void> {
  const all = Object.fromEntries(kept.map((column) => [column, values[column] ?? null]));
  // as: `kept` is all that the statement takes beside the place.
  await tx.change(setKeptSql, { ...all, org_id, id } as Place & StoredRow<"developers">);
}

const COLUMNS = columnsOf("deleted_developers", "org_id");

/** Keeps a developer who is being deleted. */
export const insertDeleted = change(inserts("deleted_developers"));

const ofSql = statement<{ org_id: string; developer_id: string }>()((db, p) =>
  db.selectFrom("deleted_developers").select(COLUMNS).where("org_id", "=", p.org_id)
    .where("developer_id", "=", p.developer_id).orderBy("id", "desc")
);

/** The deletions of developers of this id that are kept, the latest first. */
export async function findDeletions(
  db: Connection,
  org_id: string,
  developer_id: string,
): Promise<DeletedRow[]> {
  return (await db.rows(ofSql, { org_id, developer_id })).map(numbered);
}

/**
 * Forgets a deletion: of two who bring the developer back at once, one does. False where it is
 * forgotten.
 */
export const removeDeletion = changed(removes("deleted_developers"));

const belowSql = variants((limit: number) =>
  statement<{ org_id: string; below: string }>()((db, p) =>
    db.selectFrom("deleted_developers").select(COLUMNS)
      .where("org_id", "=", p.org_id).where("id", "<", p.below)
      .orderBy("id", "desc").limit(sql.lit(limit))
  )
);

/** Up to `limit` deletions with smaller ids, the latest first. */
export async function deletionsBelow(
  db: Connection,
  org_id: string,
  below: string,
  limit: number,
): Promise<DeletedRow[]> {
  return (await db.rows(belowSql(limit), { org_id, below })).map(numbered);
}

/** PostgreSQL gives its integers as texts. */
function numbered(row: DeletedRow): DeletedRow {
  return { ...row, keys: Number(row.keys) };
}
