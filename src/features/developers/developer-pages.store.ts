import { all, changed, one, value } from "../../storage/statement-functions.ts";
import { finds, puts } from "../../storage/table-statements.ts";

/** The settings of an organisation's pages as JSON text; undefined: no one has set any. */
export const findPages = value(finds("developer_pages", { columns: ["document"] }));

/** The organisation whose pages are at a host, with their settings. */
export const findPagesOfHost = one((db, p: { host: string }) =>
  db.selectFrom("developer_pages").select(["org_id", "document"]).where("host", "=", p.host)
);

/** The settings of every organisation's pages that a person has set. */
export const findAllPages = all((db) =>
  db.selectFrom("developer_pages").select(["org_id", "document"]).orderBy("org_id")
);

/** Sets the settings of an organisation's pages. False where another one has the host. */
export const savePages = changed(puts("developer_pages"));
