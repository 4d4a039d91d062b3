import { sql } from "kysely";
import type { QueryBuilder } from "../storage/statement.ts";
import { changed, one } from "../storage/statement-functions.ts";
import type { Connection } from "../storage/storage.ts";

/** A query of an object's audit log. */
interface Sought {
  org_id: string;
  object_id: string;
  action: string;
  /** When it was; "": whenever. */
  at: string;
}

/** A row of the audit log, by what is read of it here. */
interface NewestEvent {
  at: string;
  actor: string;
  detail: string;
  personal: string;
}

/**
 * The newest row of the audit log that tells of this object and action, whether the log has it or
 * not; undefined: there is none.
 */
export async function newestEvent(
  db: Connection,
  { org_id, object_id, action, at = "" }: Omit<Sought, "at"> & { at?: string },
): Promise<NewestEvent | undefined> {
  const sought = { org_id, object_id, action, at };
  // In this order: a row that is taken into the log meanwhile is found there.
  return await newestWaiting(db, sought) ?? await newestLogged(db, sought);
}

// Both are said as ranges of pairs: with equalities SQLite would walk the whole audit log by its
// key.

const newestWaiting = one((db, p: Sought) =>
  sought(db, p).where("leaf_index", "is", null).where("object_id", "=", p.object_id)
    .where(sql<boolean>`(at, id) >= (${p.at}, '')`)
    .orderBy("at", "desc").orderBy("id", "desc").limit(sql.lit(1))
);

const newestLogged = one((db, p: Sought) =>
  sought(db, p).where("leaf_index", "is not", null)
    .where(sql<boolean>`(object_id, leaf_index) >= (${p.object_id}, 0)`)
    .where(sql<boolean>`(object_id, leaf_index) < (${p.object_id}, ${LAST_PLACE})`)
    .orderBy("object_id", "desc").orderBy("leaf_index", "desc").orderBy("id", "desc")
    .limit(sql.lit(1))
);

/** Behind every place of a log. */
const LAST_PLACE = sql.lit(Number.MAX_SAFE_INTEGER);

function sought(db: QueryBuilder, { org_id, action, at }: Sought) {
  return db.selectFrom("audit_events").select(["at", "actor", "detail", "personal"])
    .where("org_id", "=", org_id).where("action", "=", action)
    .where(sql<boolean>`(${at} = '' or at = ${at})`);
}

/**
 * Counts a deed of temporary access that is open at `now`, and holds it until the transaction ends.
 * False: it has ended.
 */
export const countTemporaryAccessAction = changed((
  db,
  p: { org_id: string; id: string; now: string },
  dialect,
) =>
  db.updateTable("elevations").set({
    deeds: sql<number>`deeds + 1`,
    seen_at: sql<string>`${sql.raw(dialect === "postgres" ? "greatest" : "max")}(
      coalesce(seen_at, started_at), ${p.now})`,
  })
    .where("org_id", "=", p.org_id).where("id", "=", p.id).where("state", "=", sql.lit("open"))
    .where("expires_at", ">", p.now)
    .where(sql<boolean>`expires_at > coalesce(seen_at, started_at)`)
);
