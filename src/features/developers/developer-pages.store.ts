import { all, changed, one, value } from "../../storage/statement-functions.ts";

/** The settings of an organisation's pages as JSON text; undefined: nobody has set any. */
export const findPages = value((db, p: { org_id: string }) =>
  db.selectFrom("developer_pages").select("document").where("org_id", "=", p.org_id)
);

/** The organisation whose pages are at a host, with their settings. */
export const findPagesOfHost = one((db, p: { host: string }) =>
  db.selectFrom("developer_pages").select(["org_id", "document"]).where("host", "=", p.host)
);

/** The settings of every organisation's pages that somebody has set. */
export const findAllPages = all((db) =>
  db.selectFrom("developer_pages").select(["org_id", "document"]).orderBy("org_id")
);

/** Sets the settings of an organisation's pages. False where another one has the host. */
export const savePages = changed((
  db,
  p: { org_id: string; host: string | null; document: string },
) =>
  db.insertInto("developer_pages").values({
    org_id: p.org_id,
    host: p.host,
    document: p.document,
  }).onConflict((conflict) =>
    conflict.column("org_id").doUpdateSet({
      host: (eb) => eb.ref("excluded.host"),
      document: (eb) => eb.ref("excluded.document"),
    })
  )
);
