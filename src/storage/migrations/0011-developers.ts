import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./0001-key-requests.ts";

/** What lists of developers are filtered and searched by. */
export function developersSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  const flag = (name: string) =>
    db.schema.alterTable("developers")
      .addColumn(name, integer, (c) => c.notNull().defaultTo(sql.lit(0)));
  return [
    flag("inactive"),
    raw(
      db,
      dialect === "postgres"
        ? "update developers set inactive = 1 where document::json->>'inactive' = 'true'"
        : "update developers set inactive = 1 where json_extract(document, '$.inactive') = 1",
    ),
    db.schema.createIndex("developers_inactive").on("developers")
      .columns(["org_id", "inactive", "instant", "id"]),

    // 0: the search does not know this developer as they are now. So waits whoever is there
    // already.
    flag("worded"),
    db.schema.createIndex("developers_unworded").on("developers").columns(["org_id", "id"])
      .where(sql<boolean>`worded = 0`),
    table("developer_words", ["org_id", "word", "id"], ["org_id", "word", "id"], "clustered"),
    db.schema.createIndex("developer_words_id").on("developer_words").columns(["org_id", "id"]),
  ];
}

function raw(db: QueryBuilder, text: string): Compilable {
  return { compile: () => sql.raw(text).compile(db) };
}
