import { sql } from "kysely";
import { statement } from "../../../storage/statement.ts";
import type { Connection } from "../../../storage/storage.ts";

/** Ids of one statement; longer lists are given in parts. */
const IDS = 25;

type Params = { org_id: string; from: number } & Record<string, string | number>;

const callsSql = statement<Params>()((db, p) =>
  db.selectFrom("usage_days as u")
    .select("u.object_id as key_id")
    .select(
      sql<number>`sum(u.success + u.error_401 + u.error_403 + u.error_429)`.as("calls"),
    )
    .where("u.org_id", "=", p.org_id).where("u.kind", "=", sql.lit("key"))
    // as: callsOfKeys gives every one of them.
    .where("u.object_id", "in", Array.from({ length: IDS }, (_, i) => p[`id${i}`] as string))
    .where("u.begins", ">=", p.from)
    // Of keys whose counts are to go no one is told any more.
    .where(({ not, exists, selectFrom }) =>
      not(exists(
        selectFrom("usage_erasures as e").select("e.key_id")
          .whereRef("e.org_id", "=", "u.org_id").whereRef("e.key_id", "=", "u.object_id"),
      ))
    )
    .groupBy("u.object_id")
);

/** How often each of these keys was presented since the day that begins at hour `from`. */
export async function callsOfKeys(
  db: Connection,
  org_id: string,
  key_ids: readonly string[],
  from: number,
): Promise<Map<string, number>> {
  const calls = new Map<string, number>();
  for (let start = 0; start < key_ids.length; start += IDS) {
    const own = key_ids.slice(start, start + IDS);
    const params: Params = { org_id, from };
    for (let i = 0; i < IDS; i++) params[`id${i}`] = own[i] ?? own[0] ?? "";
    // A sum comes back as text from one of the engines.
    for (const row of await db.rows(callsSql, params)) calls.set(row.key_id, Number(row.calls));
  }
  return calls;
}
