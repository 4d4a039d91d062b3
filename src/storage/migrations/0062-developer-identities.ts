import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/**
 * Developers sign in by an identity provider of their own: whose account there is whose here, and
 * what a session has from there.
 */
export function developerIdentitiesSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const index = (name: string, on: string, columns: string[]) =>
    db.schema.createIndex(name).on(on).columns(columns);
  return [
    table(
      "developer_identities",
      [
        "org_id",
        "id",
        "developer_id",
        "provider_id",
        "handle",
        "link?",
        "created_at",
        "last_used_at?",
      ],
      ["org_id", "id"],
    ),
    index("developer_identities_handle", "developer_identities", ["handle"]).unique(),
    index("developer_identities_of", "developer_identities", ["org_id", "developer_id"]),
    index("developer_identities_at", "developer_identities", ["org_id", "provider_id"]),

    db.schema.alterTable("developer_sessions").addColumn("identity_id", text),
    db.schema.alterTable("developer_sessions").addColumn("provider_session", text),
    db.schema.alterTable("developer_sessions").addColumn("seen_at", text),
    index("developer_sessions_by_provider", "developer_sessions", ["provider_session"]),
  ];
}
