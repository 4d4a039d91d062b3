import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/** What developers are filed under. */
export function developerTagsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const columns = ["org_id", "tag", "instant", "id"];
  return [
    db.schema.alterTable("developers").addColumn("tags", text),
    tableMaker(db, dialect)("developer_tags", columns, columns, "clustered"),
    db.schema.createIndex("developer_tags_id").on("developer_tags").columns(["org_id", "id"]),
  ];
}
