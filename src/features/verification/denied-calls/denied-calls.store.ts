import { sql } from "kysely";
import { columnsOf } from "../../../storage/rows.ts";
import type { StoredRow } from "../../../storage/schema.ts";
import { type QueryBuilder, statement } from "../../../storage/statement.ts";
import { atMost, one, send, value, values } from "../../../storage/statement-functions.ts";
import { inserts } from "../../../storage/table-statements.ts";
import type { Connection, Tx } from "../../../storage/storage.ts";
import { variants } from "../../../storage/variants.ts";

/** A denied call as it is stored. */
export type DeniedCallRow = StoredRow<"refusals">;

const COLUMNS = columnsOf("refusals");

/** Keeps a denied call. */
export const insertDeniedCall = send(inserts("refusals"));

const beyondSql = variants((most: number) =>
  statement<{ org_id: string; key_id: string }>()((db, p) =>
    db.selectFrom("refusals").select("id")
      .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
      .orderBy("id", "desc").limit(sql.lit(1)).offset(sql.lit(most))
  )
);

const trimSql = statement<{ org_id: string; key_id: string; last: string }>()(
  (db, p, dialect) => ({
    // Another node may trim the same key: what it removes is not waited for.
    compile: () =>
      sql`delete from refusals where org_id = ${p.org_id} and id in (
        select id from refusals where org_id = ${p.org_id} and key_id = ${p.key_id}
        and id <= ${p.last} order by id desc limit ${sql.lit(OVER)}
        ${sql.raw(dialect === "postgres" ? "for update skip locked" : "")})`.compile(db),
  }),
);

/** As many as one transaction adds. */
const OVER = 500;

/**
 * Removes the oldest refusals of a key beyond this many; "" represents what no one knows. Those
 * that stay are not locked: anyone who erases them waits for no one.
 */
export async function trimKey(
  tx: Tx,
  key: { org_id: string; key_id: string },
  most: number,
): Promise<void> {
  const last = await tx.row(beyondSql(most), key);
  if (last) await tx.change(trimSql, { ...key, last: last.id });
}

/** By what refusals are looked for; each has its index. */
export const deniedCallFilters = [
  "key_id",
  "developer_id",
  "door",
  "plan_id",
  "api_id",
  "reason",
] as const;
/** One of these. */
export type DeniedCallFilter = typeof deniedCallFilters[number];

type Place = { org_id: string; value: string; id: string };

/** Refusals but for those of keys whose counts are being erased. */
const refusalsThatStay = (db: QueryBuilder) =>
  db.selectFrom("refusals as r").select(COLUMNS.map((name) => `r.${name}` as const))
    .where(({ not, exists, selectFrom }) =>
      not(exists(
        selectFrom("usage_erasures as e").select("e.key_id")
          .whereRef("e.org_id", "=", "r.org_id").whereRef("e.key_id", "=", "r.key_id"),
      ))
    );

const behindSql = variants((by: DeniedCallFilter | null, limit: number) =>
  statement<Place>()((db, p) =>
    refusalsThatStay(db)
      .where("r.org_id", "=", p.org_id)
      .$if(by !== null, (query) => query.where(`r.${by ?? "reason"}`, "=", p.value))
      .where("r.id", "<", p.id)
      .orderBy("r.id", "desc").limit(sql.lit(limit))
  )
);

/** Refusals before an id, the newest first, of all or of those with a value in one column. */
export function deniedCallsBehind(
  db: Connection,
  org_id: string,
  by: { name: DeniedCallFilter; value: string } | null,
  id: string,
  limit: number,
): Promise<DeniedCallRow[]> {
  return db.rows(behindSql(by?.name ?? null, limit), { org_id, value: by?.value ?? "", id });
}

/** A refusal by its id. */
export const findDeniedCall = one((db, p: { org_id: string; id: string }) =>
  refusalsThatStay(db).where("r.org_id", "=", p.org_id).where("r.id", "=", p.id)
);

/** The organisations that have refusals. */
export const organisationsRefused = values((db) =>
  db.selectFrom("organisations as o").select("o.id").where(({ exists, selectFrom }) =>
    exists(selectFrom("refusals as r").select("r.id").whereRef("r.org_id", "=", "o.id"))
  )
);

/** The id of an organisation's oldest refusal. */
export const oldestDeniedCall = value((db, p: { org_id: string }) =>
  db.selectFrom("refusals").select("id").where("org_id", "=", p.org_id).orderBy("id")
    .limit(sql.lit(1))
);

const newestSql = variants((most: number) =>
  statement<{ org_id: string }>()((db, p) =>
    db.selectFrom("refusals").select("id").where("org_id", "=", p.org_id)
      .orderBy("id", "desc").limit(sql.lit(1)).offset(sql.lit(most))
  )
);

/** The id of the newest refusal that is one too many; undefined: there are no more than `most`. */
export async function firstBeyond(
  db: Connection,
  org_id: string,
  most: number,
): Promise<string | undefined> {
  return (await db.row(newestSql(most), { org_id }))?.id;
}

const idsBefore = atMost((db, p: { org_id: string; before: string }, limit, dialect) =>
  db.selectFrom("refusals").select("id").where("org_id", "=", p.org_id)
    .where("id", "<", p.before).orderBy("id").limit(limit)
    .$if(dialect === "postgres", (query) => query.forUpdate().skipLocked())
);
const removeSql = statement<{ org_id: string; before: string }>()((db, p) =>
  db.deleteFrom("refusals").where("org_id", "=", p.org_id).where("id", "<", p.before)
);

/** Removes up to `limit` of the oldest refusals before an id; gives how many there were. */
export async function removeBefore(
  tx: Tx,
  org_id: string,
  before: string,
  limit: number,
): Promise<number> {
  const ids = (await idsBefore(tx, { org_id, before }, limit)).map(({ id }) => id);
  const last = ids.at(-1);
  // No id lies between this one and the same with one more digit.
  if (last !== undefined) await tx.change(removeSql, { org_id, before: `${last}0` });
  return ids.length;
}

const eraseSql = statement<{ org_id: string; key_id: string }>()((db, p) =>
  db.deleteFrom("refusals").where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
);

/** Removes the refusals of a key, which are few. */
export async function eraseDeniedCalls(
  tx: Tx,
  key: { org_id: string; key_id: string },
): Promise<void> {
  await tx.change(eraseSql, key);
}
