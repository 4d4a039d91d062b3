import type { ArchiveRows } from "../archive/archive-tables.ts";
import { identityOf } from "../archive/archive-rows.store.ts";
import { firstOf, readRows, RowsUnreadable } from "../archive/read-rows.ts";
import { digestOf } from "./digests.ts";
import type { Reading } from "./items.ts";
import { emptyReading, Refused } from "./read-common.ts";
import type { Kind, Members } from "./source.ts";

/**
 * A document of an export of Keydesk: the rows that travel with it are taken as they are. Nothing
 * where it has none, since another document has them. Throws Refused.
 */
export function readArchiveRows(kind: Kind, given: Members): Reading {
  const rows = rowsOf(given);
  const id = idOf(kind, rows);
  if (id === undefined) return emptyReading();
  const there = digestOf(rows);
  return { ...emptyReading(), items: [{ kind: "own", of: kind, id, there, rows }] };
}

function rowsOf(given: Members): ArchiveRows {
  try {
    return readRows(given);
  } catch (error) {
    throw error instanceof RowsUnreadable ? new Refused("invalid", error.message) : error;
  }
}

/**
 * By what the object is known here, as of any import; of what has no kind of its own, by table and
 * row.
 */
function idOf(kind: Kind, rows: ArchiveRows): string | undefined {
  const first = firstOf(rows);
  if (!first) return undefined;
  if (kind === "configuration" || kind === "catalogue") return "";
  const { table, row } = first;
  const identity = identityOf(table).map((name) => row[name] ?? null);
  return kind === "rest" ? JSON.stringify([table, ...identity]) : String(identity[0] ?? "");
}
