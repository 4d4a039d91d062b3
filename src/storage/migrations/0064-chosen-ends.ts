import { type Compilable, type RawBuilder, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";

/** When people said when a key ends, and when they want to look at it again. */
export function chosenEndsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const add = (column: string) => db.schema.alterTable("credentials").addColumn(column, text);
  // Texts of ours: no value in them holds these letters.
  const review = dialect === "postgres"
    ? sql`substring(conditions from '"review_at":"([^"]+)"')`
    : sql`case when json_valid(conditions) then json_extract(conditions, '$.review_at') end`;
  return [
    add("end_chosen_at"),
    add("review_at"),
    db.schema.createIndex("credentials_by_review").on("credentials")
      .columns(["org_id", "review_at", "key_id"]).where("review_at", "is not", null),
    asIs(sql`update credentials set end_chosen_at = issued_at where request_id <> '' and exists (
      select 1 from key_requests as r where r.org_id = credentials.org_id
        and r.id = credentials.request_id and r.granted like '%"expires_at":"%')`),
    asIs(sql`update credentials set review_at = ${review} where conditions is not null`),
  ];

  function asIs(query: RawBuilder<unknown>): Compilable {
    return { compile: () => query.compile(db) };
  }
}
