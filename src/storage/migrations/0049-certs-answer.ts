import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";

/** How lists of certificates read to an access token; null, as so far: as the setting says. */
export function certsAnswerSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [db.schema.alterTable("access_tokens").addColumn("certs_answer", text)];
}
