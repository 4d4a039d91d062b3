import { sql } from "kysely";
import { rowOf } from "../../../storage/rows.ts";
import type { StoredRow } from "../../../storage/schema.ts";
import { atMost, exists, send } from "../../../storage/statement-functions.ts";
import { inserts } from "../../../storage/table-statements.ts";
import { statement } from "../../../storage/statement.ts";
import type { Connection, Tx } from "../../../storage/storage.ts";
import { variants } from "../../../storage/variants.ts";

/** Calls of one thing on one day, with one verdict. */
export type ShadowRow = StoredRow<"observed_days">;
/** A call that was let in there and would have been refused here. */
export type DifferenceRow = StoredRow<"observed_differences">;

/** Adds to what is counted there. */
export const addShadowRow = send((db, p: ShadowRow) =>
  db.insertInto("observed_days").values(rowOf("observed_days", p))
    .onConflict((conflict) =>
      conflict.columns(["org_id", "kind", "object_id", "begins", "verdict"]).doUpdateSet({
        asked: sql`observed_days.asked + excluded.asked`,
        opened: sql`observed_days.opened + excluded.opened`,
        last_at: sql`case when excluded.last_at > observed_days.last_at then excluded.last_at
          else observed_days.last_at end`,
      })
    )
);

/** Keeps a single difference. */
export const insertDifference = send(inserts("observed_differences"));

type Key = { org_id: string; key_id: string };

const beyondSql = variants((most: number) =>
  statement<Key>()((db, p) =>
    db.selectFrom("observed_differences").select("id")
      .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
      .orderBy("id", "desc").limit(sql.lit(1)).offset(sql.lit(most))
  )
);

const trimSql = statement<Key & { last: string }>()((db, p, dialect) => ({
  // Another node may trim the same key: what it removes is not waited for.
  compile: () =>
    sql`delete from observed_differences where org_id = ${p.org_id} and id in (
      select id from observed_differences where org_id = ${p.org_id} and key_id = ${p.key_id}
      and id <= ${p.last} order by id desc limit 500
      ${sql.raw(dialect === "postgres" ? "for update skip locked" : "")})`.compile(db),
}));

/** Removes the oldest differences of a key beyond this many; "" represents what no one knows. */
export async function trimDifferences(tx: Tx, key: Key, most: number): Promise<void> {
  const last = await tx.row(beyondSql(most), key);
  if (last) await tx.change(trimSql, { ...key, last: last.id });
}

/** By what differences are looked for. */
type DifferenceFilter = "key_id" | "plan_id";

const behindSql = variants((by: DifferenceFilter | null, limit: number) =>
  statement<{ org_id: string; value: string; id: string }>()((db, p) =>
    db.selectFrom("observed_differences")
      .select(["id", "at", "key_id", "developer_id", "plan_id", "api_id", "door", "reason"])
      .where("org_id", "=", p.org_id)
      .$if(by !== null, (query) => query.where(by ?? "key_id", "=", p.value))
      .where("id", "<", p.id).orderBy("id", "desc").limit(sql.lit(limit))
  )
);

/** Differences before an id, the newest first, of all or of those with a value in one column. */
export function differencesBehind(
  db: Connection,
  org_id: string,
  by: { name: DifferenceFilter; value: string } | null,
  id: string,
  limit: number,
): Promise<Omit<DifferenceRow, "org_id">[]> {
  return db.rows(behindSql(by?.name ?? null, limit), { org_id, value: by?.value ?? "", id });
}

const eraseSql = statement<Key>()((db, p) =>
  db.deleteFrom("observed_days").where("org_id", "=", p.org_id)
    .where("kind", "=", sql.lit("key")).where("object_id", "=", p.key_id)
);
const eraseDifferencesSql = statement<Key>()((db, p) =>
  db.deleteFrom("observed_differences").where("org_id", "=", p.org_id)
    .where("key_id", "=", p.key_id)
);

/** Removes what was observed of a key: a row for each of some days, and few differences. */
export async function eraseShadowCalls(tx: Tx, key: Key): Promise<void> {
  await tx.change(eraseSql, key);
  await tx.change(eraseDifferencesSql, key);
}

const removeDifferencesSql = variants((limit: number) =>
  statement<{ org_id: string; before: string }>()((db, p, dialect) => ({
    compile: () =>
      sql`delete from observed_differences where org_id = ${p.org_id} and id in (
        select id from observed_differences where org_id = ${p.org_id} and id < ${p.before}
        order by id limit ${sql.lit(limit)}
        ${sql.raw(dialect === "postgres" ? "for update skip locked" : "")})`.compile(db),
  }))
);

/** Removes up to `limit` of the oldest differences before an id; gives how many went. */
export async function removeOldDifferences(
  tx: Tx,
  { org_id, before }: { org_id: string; before: string },
  limit: number,
): Promise<number> {
  return await tx.change(removeDifferencesSql(limit), { org_id, before });
}

/** Whether there are differences before an id. */
export const hasOldDifferences = exists((db, p: { org_id: string; before: string }) =>
  db.selectFrom("observed_differences").select("id")
    .where("org_id", "=", p.org_id).where("id", "<", p.before).limit(sql.lit(1))
);

type Before = { before: number };

/** Some rows from before an hour. */
export const oldShadowRows = atMost((db, p: Before, limit) =>
  db.selectFrom("observed_days").select(["org_id", "kind", "object_id", "begins", "verdict"])
    .where("begins", "<", p.before).orderBy("begins").limit(limit)
);

const removeOldSql = variants((limit: number) =>
  statement<Before>()((db, p, dialect) => ({
    compile: () =>
      sql`delete from observed_days where (org_id, kind, object_id, begins, verdict) in (
        select org_id, kind, object_id, begins, verdict from observed_days
        where begins < ${p.before} order by begins limit ${sql.lit(limit)}
        ${sql.raw(dialect === "postgres" ? "for update skip locked" : "")})`.compile(db),
  }))
);

/** Removes up to `limit` of the oldest rows from before an hour; gives how many went. */
export async function removeOldShadowRows(tx: Tx, before: number, limit: number): Promise<number> {
  return await tx.change(removeOldSql(limit), { before });
}
