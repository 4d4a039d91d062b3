import { sql } from "kysely";
import { sha256 } from "../kernel/sha256.ts";
import { statement } from "./statement.ts";
import type { Connection } from "./storage.ts";

/** Hexadecimal digits of a mark. */
const LENGTH = 12;

/**
 * Represents a store, the same at each of its nodes and another one at every other store: made of
 * when its schema was made, of which it tells nothing. A copy has the mark of its original. Throws
 * `unavailable`.
 */
export async function storeMark(db: Connection): Promise<string> {
  const first = await db.row(madeSql, {});
  return sha256(`keydesk store ${first?.applied_at ?? ""}`).slice(0, LENGTH);
}

const madeSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("schema_versions").select("applied_at").orderBy("version").limit(sql.lit(1))
);
