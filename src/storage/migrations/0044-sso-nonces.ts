import type { Compilable } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/** Nonces by which an identity broker and a portal sign a developer in, each for a minute. */
export function ssoNoncesSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  return [
    tableMaker(db, dialect)(
      "sso_nonces",
      ["org_id", "hash", "id", "email_key", "created_at", "expires_at"],
      ["org_id", "hash"],
    ),
    db.schema.createIndex("sso_nonces_over").on("sso_nonces").columns(["expires_at"]),
  ];
}
