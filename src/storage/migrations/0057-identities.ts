import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/**
 * People sign in by their company: identity providers, whose account there is whose here, and what
 * a session has from there.
 */
export function identitiesSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const index = (name: string, on: string, columns: string[]) =>
    db.schema.createIndex(name).on(on).columns(columns);
  return [
    table(
      "identity_providers",
      ["org_id", "id", "terms?", "created_at", "updated_at"],
      ["org_id", "id"],
    ),
    index("identity_providers_id", "identity_providers", ["id"]).unique(),

    table(
      "person_identities",
      [
        "org_id",
        "id",
        "user_id",
        "provider_id",
        "handle",
        "link?",
        "created_at",
        "last_used_at?",
      ],
      ["org_id", "id"],
    ),
    index("person_identities_handle", "person_identities", ["handle"]).unique(),
    index("person_identities_of", "person_identities", ["org_id", "user_id"]),
    index("person_identities_at", "person_identities", ["org_id", "provider_id"]),

    db.schema.alterTable("sessions").addColumn("identity_id", text),
    db.schema.alterTable("sessions").addColumn("provider_session", text),
    db.schema.alterTable("sessions").addColumn("proved_at", text),
    index("sessions_by_provider", "sessions", ["provider_session"]),
  ];
}
