import { type CheckedRow, isWhole } from "../../changes/checked-rows.ts";
import type { Sealer } from "../../kernel/sealing/sealer.ts";
import type { SqlValue } from "../../storage/statement.ts";
import type { Connection } from "../../storage/storage.ts";
import { archiveRowsBehind, isChecked, type StoredRow } from "../archive/archive-rows.store.ts";
import { declared } from "../../storage/rows.ts";
import { type ArchiveRow, type ArchiveTable, shapeOf } from "../archive/archive-tables.ts";
import { placeOfSealed } from "../archive/sealed-place.ts";

/**
 * Thrown if an organisation can't be exported so; the message says what to do and holds no secret.
 */
export class OrganisationUnreadable extends Error {}

/** One organisation, read at one moment. */
export interface OpenOrganisation {
  /** Shows the store as it was when the reading began. */
  readonly db: Connection;
  readonly sealer: Sealer;
  readonly org_id: string;
  /** Whether rows of keys and people without a right checksum open nothing. */
  readonly demandsChecksums: boolean;
}

/** Rows of one statement: few where they are large, so that memory stays flat. */
const FEW = 16;
const MANY = 256;
const LARGE = 250_000;

/** A row that travels, and whether something of it is sealed at rest. */
export interface OpenRow {
  readonly row: ArchiveRow;
  readonly isSealed: boolean;
}

/**
 * The rows of a table in their order, in pages. `opens` false: what is sealed is null. Throws
 * OrganisationUnreadable.
 */
export async function* openRows(
  organisation: OpenOrganisation,
  table: ArchiveTable,
  opens: boolean,
): AsyncGenerator<OpenRow[], void, void> {
  const key = shapeOf(table).key;
  let behind: SqlValue[] | null = null;
  let limit = FEW;
  while (true) {
    const rows: StoredRow[] = await archiveRowsBehind(
      organisation.db,
      organisation.org_id,
      table,
      behind,
      limit,
    );
    const last = rows.at(-1);
    if (!last) return;
    yield rows.filter((row) => isUsable(organisation, table, row)).map((row) =>
      openRow(organisation, table, row, opens)
    );
    if (rows.length < limit || key.length === 0) return;
    behind = key.map((name) => last[name] ?? null);
    limit = sizeOf(rows) > LARGE ? FEW : MANY;
  }
}

/** The row as it travels. Throws OrganisationUnreadable where it can't be opened. */
export function openRow(
  { sealer, org_id }: OpenOrganisation,
  table: ArchiveTable,
  stored: StoredRow,
  opens: boolean,
): OpenRow {
  const row: Record<string, SqlValue> = {};
  for (const name of shapeOf(table).columns) {
    const value = stored[name] ?? null;
    // Absent members are null, and of these there would be many.
    if (value !== null || declared(table, name).type === "text") row[name] = value;
  }
  const place = placeOfSealed(table, org_id, row);
  const sealed = place && row[place.column];
  if (!place || typeof sealed !== "string") return { row, isSealed: false };
  if (opens && !sealer.canOpen(place, sealed)) {
    throw new OrganisationUnreadable(
      `${table} ${place.id}: can't be opened with the sealing keys at hand; \`keydesk check\` tells of all such rows`,
    );
  }
  return {
    row: { ...row, [place.column]: opens ? sealer.open(place, sealed) : null },
    isSealed: true,
  };
}

/** Keys and people whose rows are damaged open nothing, and would be made whole by travelling. */
function isUsable(organisation: OpenOrganisation, table: ArchiveTable, row: StoredRow): boolean {
  const { sealer, org_id, demandsChecksums } = organisation;
  if (!isChecked(table) || !demandsChecksums) return true;
  // as: the columns that travel hold all that a checksum is made of.
  const checked = { ...row, org_id } as unknown as CheckedRow<typeof table>;
  return isWhole(sealer, table, checked);
}

function sizeOf(rows: readonly StoredRow[]): number {
  let size = 0;
  for (const row of rows) {
    for (const value of Object.values(row)) size += typeof value === "string" ? value.length : 8;
  }
  return size;
}
