import type { Dialect, SqlValue } from "../../storage/statement.ts";

/** A row by the names of its columns. */
export type Row = Readonly<Record<string, SqlValue>>;

/**
 * The counter that gives certificates their positions: one for the store on SQLite, one for each
 * organisation else.
 */
export const POSITIONS = "certificates/positions";

/** Lists of certificates are counted by position, as 12 digits. */
const DIGITS = 12;
/** The first level of their counters: shifting by whole buckets of it keeps every bucket whole. */
const STRIDE = 100_000_000;

/** How rows of one engine become rows of another. */
export interface Translation {
  /** The row as the target has it; undefined where the row has no counterpart. */
  row(table: string, row: Row): Row | undefined;
  /** The counters of positions that the target gets besides. */
  readonly positions: readonly { org_id: string; n: number }[];
}

/** Thrown where the target can't hold what the source has. */
export class NotTranslatable extends Error {}

/**
 * The translation between two engines. `counters`: the source's counters of positions;
 * `organisations`: all there are. Certificates keep their order; where organisations had positions
 * of their own and the target numbers all together, those of the later ones are shifted.
 */
export function translationOf(
  from: Dialect,
  to: Dialect,
  counters: readonly { org_id: string; n: number }[],
  organisations: readonly string[],
): Translation {
  if (from === to) return { row: (_, row) => row, positions: [] };
  if (to === "postgres") {
    const n = counters.reduce((most, counter) => Math.max(most, counter.n), 0);
    return {
      row: (table, row) => isPositions(table, row) ? undefined : row,
      positions: n === 0 ? [] : organisations.map((org_id) => ({ org_id, n })),
    };
  }
  const shifts = new Map<string, number>();
  let next = 0;
  let most = 0;
  for (const { org_id, n } of counters) {
    shifts.set(org_id, next);
    most = next + n;
    next += (Math.floor(n / STRIDE) + 1) * STRIDE;
  }
  if (most >= 10 ** DIGITS) {
    throw new NotTranslatable("too many organisations with certificates for one SQLite store");
  }
  return {
    row: (table, row) =>
      isPositions(table, row)
        ? undefined
        : shifted(table, row, shifts.get(String(row.org_id ?? "")) ?? 0),
    positions: most === 0 ? [] : [{ org_id: "", n: most }],
  };
}

function isPositions(table: string, row: Row): boolean {
  return table === "list_counts" && row.list === POSITIONS;
}

function shifted(table: string, row: Row, by: number): Row {
  if (by === 0) return row;
  if (table === "certificates" || isNameRange(table, row)) {
    return { ...row, position: Number(row.position) + by };
  }
  if (table === "list_counts" && String(row.list).startsWith("certificates/")) {
    return { ...row, bucket: shiftedBucket(String(row.bucket), by) };
  }
  return row;
}

/** True of a range that is named by the place of a certificate; the first one is not. */
function isNameRange(table: string, row: Row): boolean {
  return table === "certificate_name_ranges" && Number(row.position) > 0;
}

/** A bucket is the first digits of a position. */
function shiftedBucket(bucket: string, by: number): string {
  if (bucket === "") return bucket;
  const moved = Number(bucket) + by / 10 ** (DIGITS - bucket.length);
  return String(moved).padStart(bucket.length, "0");
}
