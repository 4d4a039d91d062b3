import { sql } from "kysely";
import { atMost, changed, lockAll, one } from "../../storage/statement-functions.ts";

/** The organisation that the first start made, or undefined before it. */
export const findFirstOrganisation = one((db) =>
  db.selectFrom("organisations").select(["id", "name", "date_created"])
    .orderBy("date_created").orderBy("id").limit(sql.lit(1))
);

/** One organisation, or undefined. */
export const findOrganisation = one((db, p: { org_id: string }) =>
  db.selectFrom("organisations").select(["id", "name"]).where("id", "=", p.org_id)
);

/**
 * Up to `limit` organisations with smaller ids, that is older ones, newest first. For the operator,
 * and counting alone.
 */
export const organisationsBelow = atMost((db, p: { below: string }, limit) =>
  db.selectFrom("organisations").select(["id", "name", "date_created"])
    .where("id", "<", p.below).orderBy("id", "desc").limit(limit)
);

/**
 * Lets servers that start at the same moment look for the organisation one after the other, until
 * `tx` ends.
 */
export const lockFirstStart = lockAll((db, _: Record<never, never>) =>
  // Every opener has written its row here before anybody gets this far.
  db.selectFrom("sealing_keys").select("version").orderBy("version")
);

/** Adds an organisation. False where its id is taken. */
export const insertOrganisation = changed((
  db,
  p: { id: string; name: string; date_created: string },
) =>
  db.insertInto("organisations").values({ id: p.id, name: p.name, date_created: p.date_created })
    .onConflict((conflict) => conflict.doNothing())
);

/**
 * Holds the organisation until the transaction ends. Every change of people and access tokens
 * begins with it: who may still administer is a question about all rows, which no lock on some of
 * them would answer.
 */
export const lockOrganisation = lockAll((db, p: { org_id: string }) =>
  db.selectFrom("organisations").select("id").where("id", "=", p.org_id)
);
