import type { Compilable } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/**
 * What moved in from another system: each object with two digests, what differs, and how far each
 * kind came.
 */
export function importsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  return [
    table(
      "imports",
      ["org_id", "kind", "source", "began_at", "ended_at?", "seen#", "others#", "dropped"],
      ["org_id", "kind"],
    ),
    table(
      "imported_objects",
      ["org_id", "kind", "id", "there", "here"],
      ["org_id", "kind", "id"],
      "clustered",
    ),
    table(
      "import_findings",
      ["org_id", "kind", "id", "code", "detail"],
      ["org_id", "kind", "id", "code"],
      "clustered",
    ),
  ];
}
