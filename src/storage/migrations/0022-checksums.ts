import { type Compilable, sql } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { tableMaker } from "./table-maker.ts";

/**
 * A checksum in each row that decides who gets in, what was found damaged, and how far the scrub
 * is. Rows of earlier code have none, and its changes leave the one that was there: such rows count
 * until they are demanded.
 */
export function checksumsSchema(db: QueryBuilder, dialect: Dialect): Compilable[] {
  const table = tableMaker(db, dialect);
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const checked = (name: string) => db.schema.alterTable(name).addColumn("checksum", text);
  return [
    checked("access_tokens"),
    checked("credentials"),
    checked("users"),
    table(
      "scrubs",
      ["id#", "place", "round_at", "rows#", "rounds#", "held_by", "held_until"],
      ["id"],
    ),
    table("damages", ["org_id", "object", "object_id", "found_at", "what"], [
      "org_id",
      "object",
      "object_id",
    ]),
    raw(
      sql`insert into scrubs (id, place, round_at, rows, rounds, held_by, held_until)
      values (1, '', '', 0, 0, '', '')`,
      db,
    ),
  ];
}

function raw(query: ReturnType<typeof sql>, db: QueryBuilder): Compilable {
  return { compile: () => query.compile(db) };
}
