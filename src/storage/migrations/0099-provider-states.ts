import type { Compilable } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/**
 * How identity providers fare: the last refusal, and what they do not do as they should. By what
 * sessions are asked for again at their provider.
 */
export function providerStatesSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  return [
    table(
      "provider_states",
      ["org_id", "id", "refused_at?", "refused?", "problem_since?", "problem?", "refreshes?"],
      ["org_id", "id"],
    ),
    table(
      "provider_grants",
      [
        "org_id",
        "id",
        "provider_id",
        "identity_id",
        "owner_id",
        "kind",
        "token?",
        "next_at",
        "expires_at",
      ],
      ["org_id", "id"],
    ),
    db.schema.createIndex("provider_grants_due").on("provider_grants").columns(["next_at"]),
    db.schema.createIndex("provider_grants_of").on("provider_grants")
      .columns(["org_id", "provider_id"]),
    db.schema.createIndex("provider_grants_over").on("provider_grants")
      .columns(["expires_at"]),
  ];
}
