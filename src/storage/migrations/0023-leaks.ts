import type { Compilable } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/**
 * Reports of leaked keys and access tokens that wait to be worked off, and what was found to have
 * leaked.
 */
export function leaksSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  return [
    table(
      "leak_reports",
      [
        "hash",
        "name_hash",
        "secret_hash",
        "at",
        "reported_by",
        "url",
        "request_id",
        "client_address",
      ],
      ["hash"],
    ),
    table(
      "leaks",
      ["org_id", "object", "object_id", "action", "reported_at", "reported_by", "url"],
      ["org_id", "object", "object_id"],
    ),
  ];
}
