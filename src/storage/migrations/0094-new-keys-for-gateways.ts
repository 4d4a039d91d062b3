import type { Compilable } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/**
 * Keys that were issued a moment ago, with what gateways need to make them. In the order of their
 * issue, which is one page for all of a commit: their rows at each gateway are added behind it.
 */
export function newKeysForGatewaysSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  return [
    table(
      "provisioning_new",
      ["org_id", "issued_at", "key_id", "secret?"],
      ["org_id", "issued_at", "key_id"],
      "clustered",
    ),
  ];
}
