import type { StoredRow } from "../../storage/schema.ts";
import { columnsOf as declaredColumns, pick, rowOf } from "../../storage/rows.ts";
import { statement } from "../../storage/statement.ts";
import { all, change, lockAll, one } from "../../storage/statement-functions.ts";
import { inserts, removes } from "../../storage/table-statements.ts";
import type { Tx } from "../../storage/storage.ts";

/** The columns of a view's own row. */
const VIEW = declaredColumns("views", "org_id", "columns").map((column) => `v.${column}` as const);

/** The views that an organisation shares, in no order. */
export const sharedViews = all((db, p: { org_id: string }) =>
  db.selectFrom("views as v")
    .leftJoin(
      "users as u",
      (join) => join.onRef("u.org_id", "=", "v.org_id").onRef("u.id", "=", "v.owner"),
    )
    .select(VIEW).select("u.name as owner_name")
    .where("v.org_id", "=", p.org_id).where("v.shared", "=", (eb) => eb.lit(1))
);

/** The views that a person made, shared ones among them, in no order. */
export const viewsOf = all((db, p: { org_id: string; owner: string }) =>
  db.selectFrom("views as v")
    .leftJoin(
      "users as u",
      (join) => join.onRef("u.org_id", "=", "v.org_id").onRef("u.id", "=", "v.owner"),
    )
    .select(VIEW).select("u.name as owner_name")
    .where("v.org_id", "=", p.org_id).where("v.owner", "=", p.owner)
);

/** One view, whoever's it is, or undefined. */
export const findView = one((db, p: { org_id: string; id: string }) =>
  db.selectFrom("views as v")
    .leftJoin(
      "users as u",
      (join) => join.onRef("u.org_id", "=", "v.org_id").onRef("u.id", "=", "v.owner"),
    )
    .select(VIEW).select("u.name as owner_name")
    .where("v.org_id", "=", p.org_id).where("v.id", "=", p.id)
);

/**
 * Holds the organisation until the transaction ends: names and numbers are questions about all of
 * its views.
 */
export const lockViews = lockAll((db, p: { org_id: string }) =>
  db.selectFrom("organisations").select("id").where("id", "=", p.org_id)
);

/** The stored view. */
export type StoredView = StoredRow<"views">;

/** Adds a view. */
export const insertView = change(inserts("views"));

type Written = Pick<StoredView, "org_id" | "id" | "name" | "shared" | "query" | "changed_at">;

/** Replaces what a view says. */
export const updateView = change((db, p: Written) =>
  db.updateTable("views").set(pick(p, "name", "shared", "query", "changed_at"))
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Removes a view. */
export const removeView = change(removes("views"));

/** The columns that a person chose, a JSON array for each list. */
export const columnsOf = all((db, p: { org_id: string; user_id: string }) =>
  db.selectFrom("list_columns").select(["list", "columns"])
    .where("org_id", "=", p.org_id).where("user_id", "=", p.user_id)
);

type Columns = { org_id: string; user_id: string; list: string; columns: string };

const putColumnsSql = statement<Columns>()((db, p) =>
  db.insertInto("list_columns")
    .values(rowOf("list_columns", p))
    .onConflict((conflict) =>
      conflict.columns(["org_id", "user_id", "list"])
        .doUpdateSet({ columns: (eb) => eb.ref("excluded.columns") })
    )
);

const dropColumnsSql = statement<Omit<Columns, "columns">>()((db, p) =>
  db.deleteFrom("list_columns").where("org_id", "=", p.org_id)
    .where("user_id", "=", p.user_id).where("list", "=", p.list)
);

/** Keeps the columns that a person chose for a list; null: the usual ones. */
export async function putColumns(
  tx: Tx,
  { columns, ...of }: Omit<Columns, "columns"> & { columns: string | null },
): Promise<void> {
  if (columns === null) await tx.change(dropColumnsSql, of);
  else await tx.change(putColumnsSql, { ...of, columns });
}

const forgetViewsSql = statement<{ org_id: string; owner: string }>()((db, p) =>
  db.deleteFrom("views").where("org_id", "=", p.org_id).where("owner", "=", p.owner)
    .where("shared", "=", (eb) => eb.lit(0))
);

const forgetColumnsSql = statement<{ org_id: string; user_id: string }>()((db, p) =>
  db.deleteFrom("list_columns").where("org_id", "=", p.org_id).where("user_id", "=", p.user_id)
);

/**
 * Removes what a person who left had for themselves alone. Views that they shared are the
 * organisation's.
 */
export async function forgetOwn(tx: Tx, org_id: string, user_id: string): Promise<void> {
  await tx.change(forgetViewsSql, { org_id, owner: user_id });
  await tx.change(forgetColumnsSql, { org_id, user_id });
}
