import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/**
 * Developers sign in: what their pages are set to, codes, links, sessions, tokens, invitations;
 * which password is theirs, and which address.
 */
export function developerSignInSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const index = (name: string, on: string, columns: string[]) =>
    db.schema.createIndex(name).on(on).columns(columns);
  return [
    table("developer_pages", ["org_id", "host?", "document"], ["org_id"]),
    index("developer_pages_host", "developer_pages", ["host"]).unique(),

    table(
      "developer_sessions",
      [
        "org_id",
        "id",
        "hash",
        "developer_id",
        "opened_by",
        "opens",
        "token_id",
        "proved_at?",
        "browser?",
        "created_at",
        "last_used_at?",
        "expires_at",
      ],
      ["org_id", "id"],
    ),
    index("developer_sessions_hash", "developer_sessions", ["hash"]).unique(),
    index("developer_sessions_of", "developer_sessions", ["org_id", "developer_id"]),
    index("developer_sessions_over", "developer_sessions", ["expires_at"]),

    table(
      "developer_codes",
      [
        "org_id",
        "id",
        "ticket",
        "hash",
        "purpose",
        "email",
        "email_key",
        "asked_from",
        "developer_id",
        "session_id",
        "code?",
        "tries#",
        "created_at",
        "expires_at",
      ],
      ["org_id", "id"],
    ),
    index("developer_codes_ticket", "developer_codes", ["ticket"]).unique(),
    index("developer_codes_email", "developer_codes", ["org_id", "email_key", "created_at"]),
    index("developer_codes_over", "developer_codes", ["expires_at"]),

    table(
      "developer_links",
      ["org_id", "hash", "id", "developer_id", "token_id", "created_at", "expires_at"],
      ["org_id", "hash"],
    ),
    index("developer_links_hash", "developer_links", ["hash"]).unique(),
    index("developer_links_over", "developer_links", ["expires_at"]),

    table(
      "developer_tokens",
      [
        "org_id",
        "id",
        "hash",
        "developer_id",
        "name",
        "scope",
        "created_at",
        "last_used_at?",
        "expires_at",
      ],
      ["org_id", "id"],
    ),
    index("developer_tokens_hash", "developer_tokens", ["hash"]).unique(),
    index("developer_tokens_of", "developer_tokens", ["org_id", "developer_id"]),
    index("developer_tokens_over", "developer_tokens", ["expires_at"]),

    table(
      "developer_invitations",
      ["org_id", "id", "email", "email_key", "invited_by", "created_at", "expires_at"],
      ["org_id", "id"],
    ),
    index("developer_invitations_email", "developer_invitations", ["org_id", "email_key"]).unique(),
    index("developer_invitations_over", "developer_invitations", ["expires_at"]),

    table(
      "verified_emails",
      ["org_id", "id", "email_key", "address", "verified_at"],
      ["org_id", "id"],
    ),
    db.schema.alterTable("developers").addColumn("own_password", text),
    db.schema.alterTable("sso_nonces").addColumn("token_id", text),
  ];
}
