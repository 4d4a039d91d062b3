import { type Compilable, sql } from "kysely";
import type { QueryBuilder } from "../statement.ts";

/**
 * Certificates whose algorithms earlier code knew by number alone, or whose key's size it did not
 * know, are read anew after the start with those that wait for the names of their renewal. It goes
 * through all certificates once.
 */
export function namesOfAlgorithmsSchema(db: QueryBuilder): Compilable[] {
  return [
    db.updateTable("certificates").set({ renewal_names: sql`null` })
      .where(sql<boolean>`details like '%,"key_size":0,%'
        or details like '%,"signature_algorithm":"0.%'
        or details like '%,"signature_algorithm":"1.%'
        or details like '%,"signature_algorithm":"2.%'`),
  ];
}
