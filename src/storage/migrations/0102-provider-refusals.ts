import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";

/** By whom a sign-in was last refused, and when a provider's problem was last seen. */
export function providerRefusalsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return ["refused_by", "problem_seen"].map((column) =>
    db.schema.alterTable("provider_states").addColumn(column, text)
  );
}
