import type { Column } from "../../storage/columns.ts";
import { declared } from "../../storage/rows.ts";
import {
  type ArchiveRow,
  type ArchiveRows,
  type ArchiveTable,
  archiveTableNames,
  archiveTables,
  shapeOf,
} from "./archive-tables.ts";

/** Thrown for rows that no Keydesk wrote; the message names table and column, no value. */
export class RowsUnreadable extends Error {}

/** Columns of JSON text, by table: anyone who reads such a row later takes it for JSON. */
const JSON_COLUMNS: Partial<Record<ArchiveTable, readonly string[]>> = {
  branding: ["document"],
  plans: ["document"],
  portal_configurations: ["document"],
  catalogue_entries: ["document"],
  certificates: ["tags"],
  developers: ["document", "tags"],
  credentials: ["plans", "tags"],
  alert_settings: ["days"],
  delivery_targets: ["config", "topics"],
  views: ["query"],
  list_columns: ["columns"],
};

/**
 * Rows as a file has them, checked. Names that this release does not know are left out. Throws
 * RowsUnreadable.
 */
export function readRows(given: Readonly<Record<string, unknown>>): ArchiveRows {
  const found: Partial<Record<ArchiveTable, ArchiveRow[]>> = {};
  for (const table of archiveTableNames) {
    const rows = given[table];
    if (rows === undefined) continue;
    if (!Array.isArray(rows)) throw new RowsUnreadable(`${table}: expected a list`);
    found[table] = rows.map((row) => readRow(table, row));
  }
  return found;
}

function readRow(table: ArchiveTable, given: unknown): ArchiveRow {
  if (typeof given !== "object" || given === null) {
    throw new RowsUnreadable(`${table}: expected an object`);
  }
  const members = new Map(Object.entries(given));
  const row: Record<string, string | number | null> = {};
  for (const name of shapeOf(table).columns) {
    const value: unknown = members.get(name) ?? null;
    if (!isOfType(declared(table, name), value)) {
      throw new RowsUnreadable(`${table}.${name}: of another type`);
    }
    const isJson = JSON_COLUMNS[table]?.includes(name) ?? false;
    if (isJson && typeof value === "string" && !isJsonText(value)) {
      throw new RowsUnreadable(`${table}.${name}: is no JSON`);
    }
    row[name] = value;
  }
  const [column, value] = shapeOf(table).only ?? [];
  if (column !== undefined && row[column] !== value) {
    throw new RowsUnreadable(`${table}.${column}: such rows stay behind`);
  }
  return row;
}

function isJsonText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null;
  } catch {
    return false;
  }
}

function isOfType({ type, isNull }: Column, value: unknown): value is string | number | null {
  if (value === null) return isNull;
  if (type === "text") return typeof value === "string";
  return typeof value === "number" && Number.isSafeInteger(value);
}

/** The first of the rows: its table and what names it there; tables are looked at in order. */
export function firstOf(rows: ArchiveRows): { table: ArchiveTable; row: ArchiveRow } | undefined {
  for (const table of archiveTableNames) {
    const row = rows[table]?.[0];
    if (row) return { table, row };
  }
  return undefined;
}

/** Whether a text names a table that travels. */
export function isArchiveTable(text: unknown): text is ArchiveTable {
  return typeof text === "string" && Object.hasOwn(archiveTables, text);
}
