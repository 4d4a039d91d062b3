import type { Column } from "./columns.ts";
import { type Database, tables } from "./schema.ts";

/** A table. */
export type TableName = keyof Database & string;

/** All of them. */
// as: the keys of exactly this object.
export const tableNames = Object.keys(tables) as readonly TableName[];

/** A column of a table. */
export type ColumnOf<T extends TableName> = keyof (typeof tables)[T] & string;

/** A column of a table's primary key. */
export type KeyOf<T extends TableName> =
  & Marked<(typeof tables)[T], { readonly isKey: true }>
  & ColumnOf<T>;

/** The members of `Of` that are marked so. */
export type Marked<Of, Mark> = { [C in keyof Of]: Of[C] extends Mark ? C : never }[keyof Of];

/** The columns of a table as they are declared, without those of `but`. */
export function columnsOf<T extends TableName, B extends ColumnOf<T> = never>(
  table: T,
  ...but: readonly B[]
): readonly Exclude<ColumnOf<T>, B>[] {
  const left: readonly string[] = but;
  // as: the names of the table's columns, without those of `but`.
  return Object.keys(tables[table])
    .filter((name) => !left.includes(name)) as Exclude<ColumnOf<T>, B>[];
}

/** The columns of a table's primary key, in its order. */
export function keysOf<T extends TableName>(table: T): readonly KeyOf<T>[] {
  // as: a table's own columns that are marked.
  return columnsOf(table).filter((name) => declared(table, name).isKey) as unknown as KeyOf<T>[];
}

/** A column as it is declared. */
export function declared(table: TableName, column: string): Column {
  const columns: Readonly<Record<string, Column>> = tables[table];
  const found = columns[column];
  if (!found) throw new TypeError(`${table} has no column ${column}`);
  return found;
}

/**
 * The values of a whole row, out of parameters that are named like the table's columns; without the
 * columns of `but`. For inserts: a column that is new in the table is missed wherever a row of it
 * is added.
 */
export function rowOf<
  T extends TableName,
  P extends { [C in Exclude<ColumnOf<T>, B>]: unknown },
  B extends ColumnOf<T> = never,
>(table: T, params: P, ...but: readonly B[]): { [C in Exclude<ColumnOf<T>, B>]: P[C] } {
  return pick(params, ...columnsOf(table, ...but));
}

/** The values of these columns, out of parameters of the same names. */
export function pick<P, N extends keyof P>(params: P, ...names: readonly N[]): Pick<P, N> {
  // as: each name has its value.
  return Object.fromEntries(names.map((name) => [name, params[name]])) as Pick<P, N>;
}
