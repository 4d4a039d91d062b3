import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/** What people call keys and file them under, and what keys are searched by. */
export function keyLabelsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const table = tableMaker(db, dialect);
  const index = (name: string) => db.schema.createIndex(name).on("credentials");
  return [
    ...["name", "environment", "note", "tags"].map((name) =>
      db.schema.alterTable("credentials").addColumn(name, text)
    ),
    // No state in it: older code changes states, and knows nothing of this table.
    table(
      "credential_labels",
      ["org_id", "kind", "label", "issued_at", "key_id"],
      ["org_id", "kind", "label", "issued_at", "key_id"],
      "clustered",
    ),
    table(
      "credential_words",
      ["org_id", "word", "key_id"],
      ["org_id", "word", "key_id"],
      "clustered",
    ),
    index("credentials_mask").columns(["org_id", "mask", "key_id"]),
    // Not by the organisation first: SQLite would take it for whatever goes by that alone.
    index("credentials_mask_end").expression(sql`(substr(mask, length(mask) - 3))`)
      .columns(["org_id", "key_id"]),
  ];
}
