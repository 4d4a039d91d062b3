import { type Compilable, type CreateTableBuilder, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";

/** One step of the schema. Every step works with the previous release's code. */
export interface Migration {
  version: number;
  name: string;
  /** The version of the oldest code (its newest migration) that this schema still serves. */
  oldestCode: number;
  statements(db: QueryBuilder, dialect: Dialect): Compilable[];
}

/** Makes the statement that creates a table; `key`: the columns of its primary key. */
export type TableMaker = (
  name: string,
  columns: string[],
  key: string[],
  layout?: "clustered",
) => Compilable;

/**
 * Creates tables from column words: `name` text, `name?` text that may be null, `name#` integer;
 * with `=value` behind it one that has this value where none is given. PostgreSQL's text gets the
 * "C" collation, so that both engines compare and sort by bytes. A clustered table is kept in the
 * order of its key where the engine can do that.
 */
export function tableMaker(db: QueryBuilder, dialect: Dialect): TableMaker {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  return (name, columns, key, layout) => {
    let builder: CreateTableBuilder<string, string> = db.schema.createTable(name);
    for (const word of columns) {
      const [, column = "", kind, value] = /^(\w+)([?#]?)(?:=(.*))?$/.exec(word) ?? [];
      const isNumber = kind === "#";
      builder = builder.addColumn(column, isNumber ? integer : text, (c) => {
        if (kind === "?") return c;
        if (value === undefined) return c.notNull();
        return c.notNull().defaultTo(sql.lit(isNumber ? Number(value) : value));
      });
    }
    builder = builder.addPrimaryKeyConstraint(`${name}_key`, key as [string]);
    return layout === "clustered" && dialect === "sqlite"
      ? builder.modifyEnd(sql`without rowid`)
      : builder;
  };
}
