import { change, value } from "../../storage/statement-functions.ts";

/** The brand of an organisation as JSON text, or undefined where nobody has set one. */
export const findBranding = value((db, p: { org_id: string }) =>
  db.selectFrom("branding").select("document").where("org_id", "=", p.org_id)
);

/** Sets the brand of an organisation. */
export const saveBranding = change((db, p: { org_id: string; document: string }) =>
  db.insertInto("branding").values({ org_id: p.org_id, document: p.document })
    .onConflict((conflict) =>
      conflict.column("org_id").doUpdateSet({ document: (eb) => eb.ref("excluded.document") })
    )
);
