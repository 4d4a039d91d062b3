import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/**
 * People sign in by invitation and by passkey: their invitations, passkeys and spent challenges,
 * what an organisation offers, from where each has signed in, and how a session began.
 */
export function peopleSignInSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const index = (name: string, on: string, columns: string[]) =>
    db.schema.createIndex(name).on(on).columns(columns);
  return [
    table(
      "person_invitations",
      ["org_id", "id", "hash", "link?", "invited_by", "created_at", "expires_at"],
      ["org_id", "id"],
    ),
    index("person_invitations_hash", "person_invitations", ["hash"]).unique(),
    index("person_invitations_over", "person_invitations", ["expires_at"]),

    table(
      "passkeys",
      [
        "org_id",
        "id",
        "user_id",
        "handle",
        "rp_id",
        "name",
        "public_key?",
        "counter#",
        "created_at",
        "last_used_at?",
      ],
      ["org_id", "id"],
    ),
    index("passkeys_handle", "passkeys", ["handle"]).unique(),
    index("passkeys_of", "passkeys", ["org_id", "user_id"]),

    table("passkey_challenges", ["org_id", "hash", "expires_at"], ["org_id", "hash"]),
    index("passkey_challenges_over", "passkey_challenges", ["expires_at"]),

    table("sign_in_rules", ["org_id", "tokens#"], ["org_id"]),
    table("sign_in_domains", ["org_id", "domain"], ["domain"]),
    index("sign_in_domains_of", "sign_in_domains", ["org_id", "domain"]),

    table(
      "sign_in_places",
      ["org_id", "id", "user_id", "browser", "address", "created_at", "last_used_at", "expires_at"],
      ["org_id", "user_id", "id"],
    ),
    index("sign_in_places_over", "sign_in_places", ["expires_at"]),

    db.schema.alterTable("sessions").addColumn("opened_by", text),
    db.schema.alterTable("sessions").addColumn("address", text),
  ];
}
