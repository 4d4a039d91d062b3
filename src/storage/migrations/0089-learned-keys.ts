import type { Compilable } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/** Which gateways teach keys that nobody knows here, and what was learned from them. */
export function learnedKeysSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  return [
    table(
      "key_learning",
      ["org_id", "gateway_id", "started_at", "started_by", "ends_at", "questions_per_second#"],
      ["org_id", "gateway_id"],
    ),
    table(
      "learned_keys",
      ["org_id", "key_id", "gateway_id", "remote_id", "learned_at", "asked_at"],
      ["org_id", "key_id"],
    ),
    db.schema.createIndex("learned_keys_of_name").unique().on("learned_keys")
      .columns(["org_id", "gateway_id", "remote_id"]),
    db.schema.createIndex("learned_keys_asked").on("learned_keys")
      .columns(["org_id", "gateway_id", "asked_at", "key_id"]),
    // What a gateway calls keys: another key that it calls so is not learned.
    db.schema.createIndex("provisioned_keys_of_name").on("provisioned_keys")
      .columns(["org_id", "gateway_id", "remote_id"]),
    table("learning_lease", ["id#", "holder", "until"], ["id"]),
  ];
}
