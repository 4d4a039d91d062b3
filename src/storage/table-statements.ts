import type { Kysely, SelectQueryBuilder } from "kysely";
import { type ColumnOf, columnsOf, type KeyOf, keysOf, pick, type TableName } from "./rows.ts";
import type { Database, StoredRow } from "./schema.ts";
import type { QueryBuilder, SqlValue } from "./statement.ts";

/**
 * The plain statements of one table, made of its declaration: `changed(removes("doors"))` is
 * `removeCheckingGateway`. By default a row is named by the table's primary key, and is whole.
 * Statements that join, compare or count are written out.
 */
type Columns<T extends TableName, C extends string> = {
  [N in C]: N extends keyof StoredRow<T> ? StoredRow<T>[N] : never;
};

interface Found<T extends TableName> {
  columns?: readonly ColumnOf<T>[];
  by?: readonly ColumnOf<T>[];
  order?: readonly ColumnOf<T>[];
}
type Read<T extends TableName, F> = F extends { columns: readonly (infer C extends string)[] } ? C
  : ColumnOf<T>;
type By<T extends TableName, F> = F extends { by: readonly (infer B extends string)[] } ? B
  : KeyOf<T>;

/** Reads `columns` of the rows that have these values in the columns of `by`. */
export function finds<T extends TableName, const F extends Found<T> = Record<never, never>>(
  table: T,
  // as: nothing is what the type has without it.
  { columns = columnsOf(table), by, order = [] }: F = {} as F,
) {
  return (db: QueryBuilder, p: Columns<T, By<T, F>>) => {
    const names: readonly string[] = by ?? keysOf(table);
    let query = named(plain(db).selectFrom<string>(table).select([...columns]), p, names);
    for (const column of order) query = query.orderBy(column);
    // as: of this table these columns were selected.
    return query as unknown as SelectQueryBuilder<Database, T, Columns<T, Read<T, F>>>;
  };
}

/** Adds a row; `but`: columns that have a value without being given one. */
export function inserts<T extends TableName, B extends ColumnOf<T> = never>(
  table: T,
  { but = [], unless }: {
    but?: readonly B[];
    /** Nothing is added where another row has the same in these columns. */
    unless?: readonly ColumnOf<T>[];
  } = {},
) {
  return (db: QueryBuilder, p: Columns<T, Exclude<ColumnOf<T>, B>>) => {
    const query = plain(db).insertInto<string>(table).values(some(p, columnsOf(table, ...but)));
    return unless ? query.onConflict((same) => same.columns([...unless]).doNothing()) : query;
  };
}

/** Adds a row, or sets `columns` of the one that has its key. */
export function puts<T extends TableName>(table: T, ...columns: readonly ColumnOf<T>[]) {
  return (db: QueryBuilder, p: Columns<T, ColumnOf<T>>) => {
    const keys: readonly string[] = keysOf(table);
    const set = columns.length > 0 ? columns : columnsOf(table).filter((c) => !keys.includes(c));
    return plain(db).insertInto<string>(table).values(some(p, columnsOf(table)))
      .onConflict((same) =>
        same.columns([...keys]).doUpdateSet((eb) =>
          Object.fromEntries(set.map((column) => [column, eb.ref(`excluded.${column}`)]))
        )
      );
  };
}

/** Sets `columns` of one row. */
export function updates<T extends TableName, C extends ColumnOf<T>>(
  table: T,
  ...columns: readonly C[]
) {
  return (db: QueryBuilder, p: Columns<T, KeyOf<T> | C>) =>
    named(plain(db).updateTable<string>(table).set(some(p, columns)), p, keysOf(table));
}

/** Removes the rows that have these values in the columns of `by`. */
export function removes<T extends TableName, const B extends readonly ColumnOf<T>[]>(
  table: T,
  ...by: B
) {
  return (db: QueryBuilder, p: Columns<T, B extends readonly [] ? KeyOf<T> : B[number]>) =>
    named(plain(db).deleteFrom<string>(table), p, by.length > 0 ? by : keysOf(table));
}

type Plain = Readonly<Record<string, SqlValue>>;

function plain(db: QueryBuilder) {
  // as: names come from the declaration of the table, which typed them at the call.
  return db as unknown as Kysely<Record<string, Plain>>;
}

function some(params: object, columns: readonly string[]): Plain {
  // as: the parameters have the values of these columns.
  return pick(params as Plain, ...columns) as Plain;
}

function named<Q extends { where(column: string, is: "=", value: SqlValue): Q }>(
  query: Q,
  params: object,
  by: readonly string[],
): Q {
  return Object.entries(some(params, by)).reduce(
    (made, [column, value]) => made.where(column, "=", value),
    query,
  );
}
