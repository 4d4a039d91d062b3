import {
  type Compilable,
  DummyDriver,
  HandleEmptyInListsPlugin,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  replaceWithNoncontingentExpression,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { Database } from "./schema.ts";
import { type Touches, touchesOf } from "./touched-rows.ts";

/** The two families of SQL that Keydesk speaks. */
export type Dialect = "sqlite" | "postgres";

/**
 * The type of a parameter; all other values are turned into text or 0/1 by the store that owns
 * them.
 */
export type SqlValue = string | number | null;

/** The query builder that a statement is written with. It compiles and never runs anything. */
export type QueryBuilder = Kysely<Database>;

/** One SQL statement with named parameters `P` and rows `R`, compiled once for each dialect. */
export interface Statement<P, R> {
  compile(dialect: Dialect): CompiledStatement;
  /** Never set; carries the types. */
  readonly types?: (params: P) => R;
}

/** SQL text, and how its positional parameters come out of the named ones. */
interface CompiledStatement {
  readonly sql: string;
  values(params: object): SqlValue[];
  /** The rows that a write touches; absent: everything. */
  readonly touches?: Touches;
}

/**
 * Declares a statement: `statement<{ id: string }>()((db, p) => db.selectFrom(…).where("id", "=",
 * p.id))`. Each `p.x` is a placeholder for the value given at the call. Rows are typed by the
 * builder.
 */
export function statement<P extends { [K in keyof P]: SqlValue }>(): <R>(
  build: (db: QueryBuilder, params: P, dialect: Dialect) => Compilable<R>,
) => Statement<P, R> {
  return (build) => {
    const compiled: Partial<Record<Dialect, CompiledStatement>> = {};
    return {
      compile: (dialect) =>
        compiled[dialect] ??= compileStatement(
          build(builders[dialect], placeholders<P>(), dialect),
        ),
    };
  };
}

/** `in` a list of no values is false: one of the engines takes no such list. */
const plugins = [new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression })];

/** A builder that compiles for `dialect`; migrations use it too. */
export const builders: Record<Dialect, QueryBuilder> = {
  sqlite: new Kysely({
    plugins,
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  }),
  postgres: new Kysely({
    plugins,
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  }),
};

class Placeholder {
  constructor(readonly name: string) {}
}

/**
 * An object whose every property is a placeholder of that name; typed as the values that will stand
 * there.
 */
function placeholders<P>(): P {
  // as: the builder only carries the placeholder into the list of parameters, where
  // compileStatement finds it.
  return new Proxy({}, { get: (_, name) => new Placeholder(String(name)) }) as P;
}

function compileStatement(query: Compilable<unknown>): CompiledStatement {
  const compiled = query.compile();
  const { sql, parameters } = compiled;
  const sources = parameters.map((p) => p instanceof Placeholder ? p : { constant: p as SqlValue });
  return {
    sql,
    touches: touchesOf(compiled),
    values: (params) => {
      // as: `statement` types the parameters, each of them a SqlValue.
      const named = params as Record<string, SqlValue>;
      const values = new Array<SqlValue>(sources.length);
      for (let i = 0; i < sources.length; i++) {
        const source = sources[i];
        if (source instanceof Placeholder) {
          const value = named[source.name];
          if (value === undefined) {
            throw new TypeError(`statement: parameter ${source.name} is missing`);
          }
          values[i] = value;
        } else {
          values[i] = source?.constant ?? null;
        }
      }
      return values;
    },
  };
}
