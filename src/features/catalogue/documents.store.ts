import { statement } from "../../storage/statement.ts";
import type { Connection, Tx } from "../../storage/storage.ts";

/** A document that catalogue entries may name. */
export interface PortalDocument {
  id: string;
  api_id: string;
  doc_type: string;
  /** Base64, as it came. */
  documentation: string;
}

type Row = { [K in keyof PortalDocument]: PortalDocument[K] } & { org_id: string };

const findSql = statement<{ org_id: string; id: string }>()((db, p) =>
  db.selectFrom("portal_documents").select(["id", "api_id", "doc_type", "documentation"])
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** The document of this id, or undefined. */
export function findDocument(
  db: Connection,
  org_id: string,
  id: string,
): Promise<PortalDocument | undefined> {
  return db.row(findSql, { org_id, id });
}

const insertSql = statement<Row & { date_created: string }>()((db, p) =>
  db.insertInto("portal_documents").values({
    org_id: p.org_id,
    id: p.id,
    api_id: p.api_id,
    doc_type: p.doc_type,
    documentation: p.documentation,
    date_created: p.date_created,
  })
);

/** Adds a document under a fresh id. */
export async function insertDocument(
  tx: Tx,
  org_id: string,
  document: PortalDocument,
  date_created: string,
): Promise<void> {
  await tx.change(insertSql, { org_id, ...document, date_created });
}

const replaceSql = statement<Row>()((db, p) =>
  db.updateTable("portal_documents").set({
    api_id: p.api_id,
    doc_type: p.doc_type,
    documentation: p.documentation,
  }).where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Replaces a document. False where there is none. */
export async function replaceDocument(
  tx: Tx,
  org_id: string,
  document: PortalDocument,
): Promise<boolean> {
  return await tx.change(replaceSql, { org_id, ...document }) === 1;
}

const removeSql = statement<{ org_id: string; id: string }>()((db, p) =>
  db.deleteFrom("portal_documents").where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Deletes a document. False where there is none. */
export async function removeDocument(tx: Tx, org_id: string, id: string): Promise<boolean> {
  return await tx.change(removeSql, { org_id, id }) === 1;
}
