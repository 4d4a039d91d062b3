import type { Compilable } from "kysely";
import type { QueryBuilder } from "../statement.ts";

/** How many strangers an organisation mailed codes to is counted by an index. */
export function codesOfSignUpsSchema(db: QueryBuilder): Compilable[] {
  return [
    db.schema.createIndex("developer_codes_for").on("developer_codes")
      .columns(["org_id", "purpose", "created_at"]),
  ];
}
