import type { Sealer } from "../kernel/sealing/sealer.ts";
import type { StoredRow } from "../storage/schema.ts";

/**
 * The rows that decide who gets in carry a checksum, which no one can make without the sealing key:
 * bytes that were changed in the file open nothing. Only this file knows what a checksum is made
 * of; decision 23 says why.
 *
 * Encoding 1: the JSON text of an array, of `<table>/1` and the values of the columns below in this
 * order, each a string or null; of that text the sealer's HMAC-SHA-256. Another choice of columns
 * is another encoding. Encoding 2, of a row that has one of its `laterColumns`: the same with all
 * of them, which encoding 1 leaves out.
 */
export const checkedColumns = {
  access_tokens: [
    "org_id",
    "id",
    "user_id",
    "hash",
    "scope",
    "addresses",
    "expires_at",
    "revoked_at",
    "scope_role",
  ],
  credentials: [
    "org_id",
    "key_id",
    "kind",
    "secret_hash",
    "state",
    "developer_id",
    "plans",
    "issued_at",
    "expires_at",
    "replaced_by",
    "algorithm",
    "use_before",
    "quota_from",
    "conditions",
  ],
  users: ["org_id", "id", "permissions", "deactivated_at", "suspended_at", "role", "covers"],
} as const;

/** The columns that most rows have nothing in, and earlier code does not know. */
const laterColumns: { readonly [T in CheckedTable]: readonly string[] } = {
  access_tokens: ["scope_role"],
  credentials: ["conditions"],
  users: ["role", "covers"],
};

/** A table whose rows have one. */
export type CheckedTable = keyof typeof checkedColumns;

/** The values of a row that its checksum is made of. */
export type CheckedValues<T extends CheckedTable> = {
  readonly [C in typeof checkedColumns[T][number]]: C extends keyof StoredRow<T> ? StoredRow<T>[C]
    : never;
};

/** The values with the row's stored checksum; null: none. */
export type CheckedRow<T extends CheckedTable> = CheckedValues<T> & {
  readonly checksum: string | null;
};

const ENCODING = 1;
const WITH_LATER = 2;

/** The checksum of a row. */
export function checksumOf<T extends CheckedTable>(
  sealer: Sealer,
  table: T,
  row: CheckedValues<T>,
): string {
  return sealer.checksum(encoded(table, row));
}

/** Whether the row is as a person wrote it who had the sealing key. */
export function isWhole<T extends CheckedTable>(
  sealer: Sealer,
  table: T,
  row: CheckedRow<T>,
): boolean {
  return row.checksum !== null && sealer.isChecksumOf(encoded(table, row), row.checksum);
}

/**
 * The checksum to write with a change of a row that the transaction holds. A change repairs no
 * damaged row: it keeps the checksum that it has.
 */
export function checksumAfter<T extends CheckedTable>(
  sealer: Sealer,
  table: T,
  before: CheckedRow<T>,
  change: Partial<CheckedValues<T>>,
): string | null {
  if (!isWhole(sealer, table, before)) return before.checksum;
  return checksumOf(sealer, table, { ...before, ...change });
}

function encoded<T extends CheckedTable>(table: T, row: CheckedValues<T>): string {
  // as: the columns of a table are the members of its values.
  const values = row as Readonly<Record<string, string | null>>;
  const later = laterColumns[table];
  const hasLater = later.some((name) => (values[name] ?? null) !== null);
  const columns = checkedColumns[table].filter((name) => hasLater || !later.includes(name));
  return JSON.stringify([
    `${table}/${hasLater ? WITH_LATER : ENCODING}`,
    ...columns.map((column) => values[column] ?? null),
  ]);
}
