import { pick } from "../../../storage/rows.ts";
import { change, changed, one } from "../../../storage/statement-functions.ts";
import { inserts, removes } from "../../../storage/table-statements.ts";

/** A document that catalogue entries may name. */
export interface PortalDocument {
  id: string;
  api_id: string;
  doc_type: string;
  /** Base64, as it came. */
  documentation: string;
}

type Row = { [K in keyof PortalDocument]: PortalDocument[K] } & { org_id: string };

/** The document of this id, or undefined. */
export const findDocument = one((db, p: { org_id: string; id: string }) =>
  db.selectFrom("portal_documents").select(["id", "api_id", "doc_type", "documentation"])
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Adds a document under a fresh id. */
export const insertDocument = change(inserts("portal_documents"));

/** Replaces a document. False where there is none. */
export const replaceDocument = changed((db, p: Row) =>
  db.updateTable("portal_documents").set(pick(p, "api_id", "doc_type", "documentation"))
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Deletes a document. False where there is none. */
export const removeDocument = changed(removes("portal_documents"));
