import { sql } from "kysely";
import type { Dialect } from "./statement.ts";

/** The texts of a JSON array, as rows of one column `value`: any number in one parameter. */
export function valuesIn(texts: string, dialect: Dialect) {
  return dialect === "postgres"
    ? sql<{ value: string }>`(select value from json_array_elements_text(${texts}::json))`
    : sql<{ value: string }>`(select value from json_each(${texts}))`;
}
