import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";

/**
 * What a gateway last said of each key that was learned from it, what of it was not done here, and
 * which keys wait for a person's yes before they lose access by it.
 */
export function followedKeysSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  const keys = () => db.schema.alterTable("learned_keys");
  const learning = () => db.schema.alterTable("key_learning");
  return [
    keys().addColumn("seen", text, (c) => c.notNull().defaultTo(sql.lit(""))),
    keys().addColumn("reported", text, (c) => c.notNull().defaultTo(sql.lit(""))),
    keys().addColumn("awaits_since", text),
    learning().addColumn("confirmed_at", text),
    learning().addColumn("losses_since", text),
    learning().addColumn("losses", integer, (c) => c.notNull().defaultTo(sql.lit(0))),
    db.schema.createIndex("learned_keys_awaiting").on("learned_keys")
      .columns(["org_id", "gateway_id", "awaits_since", "asked_at"]),
  ];
}
