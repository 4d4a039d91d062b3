import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";

/**
 * By which function a key's text may have been wrapped where it came from; null: by none, or nobody
 * knows.
 */
export function chosenKeysSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [
    db.schema.alterTable("credentials").addColumn("wrapped_by", text),
    db.schema.createIndex("credentials_wrapped").on("credentials")
      .columns(["org_id", "wrapped_by"]).where(sql<boolean>`wrapped_by is not null`),
  ];
}
