import { type Database, tables } from "./schema.ts";

type ColumnsOf<T extends keyof Database> = keyof Database[T] & string;

/**
 * The values of a whole row, out of parameters that are named like the table's columns; without the
 * columns of `but`. For inserts: a column that is new in the table is missed wherever a row of it
 * is added.
 */
export function rowOf<
  T extends keyof Database,
  P extends { [C in Exclude<ColumnsOf<T>, B>]: unknown },
  B extends ColumnsOf<T> = never,
>(table: T, params: P, ...but: readonly B[]): { [C in Exclude<ColumnsOf<T>, B>]: P[C] } {
  const left: readonly string[] = but;
  const names = Object.keys(tables[table]).filter((name) => !left.includes(name));
  // as: the names of the table's columns, without those of `but`.
  return pick(params, ...names as Exclude<ColumnsOf<T>, B>[]);
}

/** The values of these columns, out of parameters of the same names. */
export function pick<P, N extends keyof P>(params: P, ...names: readonly N[]): Pick<P, N> {
  // as: each name has its value.
  return Object.fromEntries(names.map((name) => [name, params[name]])) as Pick<P, N>;
}
