import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";

/**
 * When sessions were used, and by which browser; how developers' addresses read when they are
 * folded; and an index of what waits of one developer. No row is written: null means that nobody
 * has looked yet.
 */
export function sessionsAndLimitsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const index = (name: string, table: string) => db.schema.createIndex(name).on(table);
  return [
    // Null: not since it began.
    db.schema.alterTable("sessions").addColumn("last_used_at", text),
    db.schema.alterTable("sessions").addColumn("browser", text),
    index("sessions_user", "sessions").columns(["org_id", "user_id", "created_at", "id"]),

    // The address folded, where that is another text than email_key.
    db.schema.alterTable("developers").addColumn("email_folded", text),
    // The id of a developer whose address another one had, folded, before they were compared so;
    // else empty.
    db.schema.alterTable("developers")
      .addColumn("email_shared", text, (c) => c.notNull().defaultTo(sql.lit(""))),
    index("developers_email_folded", "developers")
      .columns(["org_id"]).expression(sql`coalesce(email_folded, email_key)`)
      .column("email_shared").unique().where(sql<boolean>`email_key <> ''`),
    index("developers_email_waiting", "developers").columns(["org_id", "id"])
      .where(
        dialect === "postgres"
          ? sql<boolean>`email_folded is null and email_key ~ '[^ -~]'`
          : sql<boolean>`email_folded is null and email_key glob '*[^ -~]*'`,
      ),
    index("developers_email_shared", "developers").columns(["org_id", "id"])
      .where(sql<boolean>`email_shared <> ''`),

    index("key_requests_pending", "key_requests").columns(["org_id", "by_user"])
      .where(sql<boolean>`state = 'pending'`),
  ];
}
