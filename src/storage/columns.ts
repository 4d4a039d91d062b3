import type { ColumnType } from "kysely";

/** A column of a table: how it is stored, and the types that are read and written. */
export interface Column<Read = unknown, Insert = Read> {
  readonly type: "text" | "integer";
  readonly isNull: boolean;
  /** True: a text in the database's own collation on PostgreSQL, so nothing is sorted by it. */
  readonly isUnsorted?: boolean;
  /** True: of the primary key, whose columns are declared in its order. */
  readonly isKey?: boolean;
  /** True: sealed with the server's keys; the last column of the key names the row. */
  readonly isSealed?: boolean;
  /** Never set; carries the types. */
  readonly types?: ColumnType<Read, Insert, Read>;
}

/** Tables by their names, each by the names of its columns. */
export type Tables = Readonly<Record<string, Readonly<Record<string, Column>>>>;

/** Declared tables as Kysely sees them. */
export type TypesOf<T extends Tables> = {
  [N in keyof T]: { [C in keyof T[N]]: NonNullable<T[N][C]["types"]> };
};

/** A text; on PostgreSQL it sorts by its bytes, as SQLite has it. */
export const text: Column<string> = { type: "text", isNull: false };
export const textOrNull: Column<string | null> = { type: "text", isNull: true };
/** A text that a row has without being given one, as its migration says. */
export const textByDefault: Column<string, string | undefined> = { type: "text", isNull: false };
/** A text or null that nothing is sorted by. */
export const unsortedOrNull: Column<string | null> = {
  type: "text",
  isNull: true,
  isUnsorted: true,
};
export const integer: Column<number> = { type: "integer", isNull: false };
export const integerOrNull: Column<number | null> = { type: "integer", isNull: true };

/** Must be given where a row is added; null: earlier code added it. See changes/checked-rows.ts. */
export const checksum: Column<string | null, string> = { type: "text", isNull: true };

/** A text that is one of these. */
export function word<W extends string>(): Column<W> {
  return { type: "text", isNull: false };
}

/** A text of the primary key. */
export const key = keyOf(text);

/** A column of the primary key. */
export function keyOf<C extends Column>(column: C): C & { readonly isKey: true } {
  return { ...column, isKey: true };
}

/** A text that is sealed. */
export function sealed<C extends Column>(column: C): C & { readonly isSealed: true } {
  return { ...column, isSealed: true };
}
