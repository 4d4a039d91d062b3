import type { Compilable } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/** Who decides in the place of somebody who is away. */
export function delegationsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  return [
    table("delegations", ["org_id", "person_id", "delegate_id", "until", "created_at"], [
      "org_id",
      "person_id",
    ]),
    db.schema.createIndex("delegations_of_delegate").on("delegations")
      .columns(["org_id", "delegate_id", "person_id"]),
  ];
}
