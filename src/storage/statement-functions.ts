import { type Compilable, type RawBuilder, type SelectQueryBuilder, sql } from "kysely";
import {
  type Dialect,
  type QueryBuilder,
  type SqlValue,
  type Statement,
  statement,
} from "./statement.ts";
import type { Connection, Tx } from "./storage.ts";
import { variants } from "./variants.ts";

/**
 * A statement is its function: `one((db, p: { id: string }) => db.selectFrom(…).where("id", "=",
 * p.id))` is called `find(connection, { id })`. The annotation of `p` names the parameters; rows
 * are typed by the builder. A statement that names none is called with the connection alone. A
 * statement that locks rows or writes needs a transaction.
 */
type Build<P, R> = (db: QueryBuilder, params: P, dialect: Dialect) => Compilable<R>;

type Values<P> = { [K in keyof P]: SqlValue };
type None = Record<never, never>;

/** The function that runs a statement on `C`. */
type Call<C, P, R> = keyof P extends never ? (on: C) => Promise<R>
  : (on: C, params: P) => Promise<R>;

/** Gives the first row, or undefined. */
export function one<P extends Values<P> = None, R = unknown>(build: Build<P, R>) {
  return called(build, (db: Connection, run, params) => db.row(run, params));
}

/** Gives all rows. */
export function all<P extends Values<P> = None, R = unknown>(build: Build<P, R>) {
  return called(build, (db: Connection, run, params) => db.rows(run, params));
}

/**
 * Gives at most so many rows as its last argument says; the limit is part of the text, as
 * `variants` tells.
 */
export function atMost<P extends Values<P>, R>(
  build: (
    db: QueryBuilder,
    params: P,
    limit: RawBuilder<number>,
    dialect: Dialect,
  ) => Compilable<R>,
): (db: Connection, params: P, limit: number) => Promise<R[]> {
  const made = variants((limit: number) =>
    statement<P>()((db, params, dialect) => build(db, params, sql.lit(limit), dialect))
  );
  return (db, params, limit) => db.rows(made(limit), params);
}

/** Tells whether there is a row. */
export function exists<P extends Values<P> = None, R = unknown>(build: Build<P, R>) {
  return called(
    build,
    async (db: Connection, run, params) => await db.row(run, params) !== undefined,
  );
}

/** Gives the first row's only column, or undefined where there is no row. */
export function value<P extends Values<P> = None, R extends object = never>(build: Build<P, R>) {
  return called(build, async (db: Connection, run, params) => {
    const row = await db.row(run, params);
    return row && onlyColumn(row);
  });
}

/** Gives the first row's only column as a number; 0 where there is no row. */
export function numberOf<P extends Values<P> = None, R extends object = never>(build: Build<P, R>) {
  return called(build, async (db: Connection, run, params) => {
    const row = await db.row(run, params);
    return row === undefined ? 0 : Number(onlyColumn(row));
  });
}

/** Gives the only column of all rows. */
export function values<P extends Values<P> = None, R extends object = never>(build: Build<P, R>) {
  return called(
    build,
    async (db: Connection, run, params) => (await db.rows(run, params)).map(onlyColumn),
  );
}

/** Gives the first row, or undefined, and holds it until the transaction ends; see `held`. */
export function lockOne<P extends Values<P>, DB, TB extends keyof DB, O>(
  build: (db: QueryBuilder, params: P) => SelectQueryBuilder<DB, TB, O>,
  lock?: Lock<DB, TB, O>,
) {
  return called(held(build, lock), (tx: Tx, run, params) => tx.row(run, params));
}

/** Gives all rows, and holds them until the transaction ends; see `held`. */
export function lockAll<P extends Values<P>, DB, TB extends keyof DB, O>(
  build: (db: QueryBuilder, params: P) => SelectQueryBuilder<DB, TB, O>,
  lock?: Lock<DB, TB, O>,
) {
  return called(held(build, lock), (tx: Tx, run, params) => tx.rows(run, params));
}

/** Writes, and gives the number of rows that it changed. */
export function change<P extends Values<P> = None>(build: Build<P, unknown>) {
  return called(build, (tx: Tx, run, params) => tx.change(run, params));
}

/** Writes, and tells whether it changed exactly one row. */
export function changed<P extends Values<P> = None>(build: Build<P, unknown>) {
  return called(build, async (tx: Tx, run, params) => await tx.change(run, params) === 1);
}

/** Writes where no one needs to know what changed; see `Tx.send`. */
export function send<P extends Values<P> = None>(build: Build<P, unknown>) {
  return called(build, (tx: Tx, run, params) => tx.send(run, params));
}

/** How rows are held. */
type Lock<DB, TB extends keyof DB, O> = (
  query: SelectQueryBuilder<DB, TB, O>,
) => SelectQueryBuilder<DB, TB, O>;

/** Reads and holds rows until the transaction ends: `for update` unless `lock` says otherwise. */
export function held<P, DB, TB extends keyof DB, O>(
  build: (db: QueryBuilder, params: P) => SelectQueryBuilder<DB, TB, O>,
  lock: Lock<DB, TB, O> = (query) => query.forUpdate(),
): Build<P, O> {
  return (db, params, dialect) => {
    const query = build(db, params);
    // SQLite has one writer at a time and no such words.
    return dialect === "postgres" ? lock(query) : query;
  };
}

function called<C, P extends Values<P>, R, Out>(
  build: Build<P, R>,
  run: (on: C, statement: Statement<P, R>, params: object & P) => Promise<Out>,
): Call<C, P, Out> {
  const made = statement<P>()(build);
  // as: anyone who names no parameters gives none, and none are looked for.
  const call = (on: C, params?: object & P) => run(on, made, params ?? {} as object & P);
  return call as Call<C, P, Out>;
}

function onlyColumn<R extends object>(row: R): R[keyof R] {
  // as: anyone who asks for a row's only column has selected one.
  return Object.values(row)[0] as R[keyof R];
}
