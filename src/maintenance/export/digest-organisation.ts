import { createHash } from "node:crypto";
import { SetDigest } from "../import/digests.ts";
import { type ArchiveTable, archiveTableNames, shapeOf } from "../archive/archive-tables.ts";
import { type OpenOrganisation, openRows } from "./open-rows.ts";

/** The digest of an organisation's rows in a table. */
interface TableDigest {
  table: ArchiveTable;
  holds: string;
  rows: number;
  /** Hex. */
  sha256: string;
}

/** The digest of an organisation: of each table and, of these together, of all. */
export interface OrganisationDigest {
  tables: TableDigest[];
  rows: number;
  sha256: string;
}

/**
 * The digest of everything that is moved with an organisation, secrets included, except people:
 * equal digests mean equal contents. Nothing in it depends on the engine, the sealing key or the
 * order in which rows were written. Throws OrganisationUnreadable.
 */
export async function digestOrganisation(
  organisation: OpenOrganisation,
  onRows: (n: number) => void,
): Promise<OrganisationDigest> {
  const tables: TableDigest[] = [];
  for (const table of archiveTableNames) {
    const { columns, holds, isOrdered = false, isApart = false } = shapeOf(table);
    if (isApart) continue;
    const digest = new SetDigest();
    for await (const page of openRows(organisation, table, true)) {
      for (const { row } of page) {
        const values = JSON.stringify(columns.map((name) => row[name] ?? null));
        if (isOrdered) digest.add(values, String(digest.count));
        else digest.add(values);
      }
      onRows(page.length);
    }
    tables.push({ table, holds, rows: digest.count, sha256: digest.sha256 });
  }
  const all = createHash("sha256");
  for (const { table, rows, sha256 } of tables) all.update(`${table} ${rows} ${sha256}\n`);
  const rows = tables.reduce((sum, one) => sum + one.rows, 0);
  return { tables, rows, sha256: all.digest("hex") };
}
