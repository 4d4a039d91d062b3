import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/**
 * What developers are mailed, and in which language; what was told of a quota; what became of an
 * invitation. Whoever chose nothing has no row.
 */
export function developerMailsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  return [
    tableMaker(db, dialect)(
      "developer_choices",
      ["org_id", "id", "language", "quota_mails#", "end_mails#"],
      ["org_id", "id"],
    ),
    db.schema.alterTable("quota_uses").addColumn("told", text),
    db.schema.alterTable("developer_invitations").addColumn("ended_as", text),
    db.schema.alterTable("developer_invitations").addColumn("ended_at", text),
    db.schema.alterTable("developer_codes")
      .addColumn("language", text, (c) => c.notNull().defaultTo(sql.lit(""))),
  ];
}
