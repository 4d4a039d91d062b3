import { statement } from "../../storage/statement.ts";
import type { Connection, Tx } from "../../storage/storage.ts";

const findSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("branding").select("document").where("org_id", "=", p.org_id)
);

/** The brand of an organisation as JSON text, or undefined where nobody has set one. */
export async function findBranding(db: Connection, org_id: string): Promise<string | undefined> {
  return (await db.row(findSql, { org_id }))?.document;
}

const saveSql = statement<{ org_id: string; document: string }>()((db, p) =>
  db.insertInto("branding").values({ org_id: p.org_id, document: p.document })
    .onConflict((conflict) =>
      conflict.column("org_id").doUpdateSet({ document: (eb) => eb.ref("excluded.document") })
    )
);

/** Sets the brand of an organisation. */
export async function saveBranding(tx: Tx, org_id: string, document: string): Promise<void> {
  await tx.change(saveSql, { org_id, document });
}
