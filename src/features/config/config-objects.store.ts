import { sql } from "kysely";
import type { StoredRow } from "../../storage/schema.ts";
import { all, change, numberOf, one, values } from "../../storage/statement-functions.ts";
import { finds, puts, removes } from "../../storage/table-statements.ts";

/** A thing that a file manages, as it is stored. */
export type ManagedRow = StoredRow<"config_objects">;

/** Everything that files manage, by kind and id. */
export const managedOf = all(
  finds("config_objects", { by: ["org_id"], order: ["kind", "object_id"] }),
);

/** Notes what a file says of a thing. */
export const putManaged = change(puts("config_objects"));

/** Forgets that a file manages a thing. */
export const removeManaged = change(removes("config_objects"));

/** A review as it is stored. */
export type ReviewRow = StoredRow<"config_reviews">;

/** Changes that wait for a person, or that one has confirmed. */
export const findReview = one(finds("config_reviews"));

/** The reviews of an organisation, the oldest first. */
export const reviewsOf = all(
  finds("config_reviews", { by: ["org_id"], order: ["asked_at", "digest"] }),
);

/** Asks for a confirmation; the newest asking counts. */
export const putReview = change(puts("config_reviews"));

/** Forgets a review. */
export const removeReview = change(removes("config_reviews"));

/** Forgets the reviews that were asked before this time. */
export const forgetReviews = change((db, p: { org_id: string; before: string }) =>
  db.deleteFrom("config_reviews").where("org_id", "=", p.org_id)
    .where("asked_at", "<", p.before)
);

/** How many things are other than their files, of each organisation with such a thing. */
export const countDriftedOfAll = all((db) =>
  db.selectFrom("config_objects").where("drifted_at", "is not", null)
    .select(["org_id", (eb) => eb.fn.countAll<number>().as("n")]).groupBy("org_id").orderBy(
      "org_id",
    )
);

/** How many things of an organisation are other than their files. */
export const countDrifted = numberOf((db, p: { org_id: string }) =>
  db.selectFrom("config_objects").where("org_id", "=", p.org_id).where("drifted_at", "is not", null)
    .select((eb) => eb.fn.countAll<number>().as("n"))
);

/** How many changes wait for a person, of those that were asked for after this time. */
export const countOpenReviews = numberOf((db, p: { org_id: string; after: string }) =>
  db.selectFrom("config_reviews").where("org_id", "=", p.org_id).where("confirmed_at", "is", null)
    .where("asked_at", ">", p.after).select((eb) => eb.fn.countAll<number>().as("n"))
);

/** Keys and requests of one plan are counted up to here. */
const MOST_COUNTED = 1000;

/** The developers of a plan's keys that are not revoked, once for each key. */
export const developersOfPlan = values((db, p: { org_id: string; _id: string; id: string }) =>
  db.selectFrom("credential_plans as l")
    .innerJoin(
      "credentials as c",
      (join) => join.onRef("c.org_id", "=", "l.org_id").onRef("c.key_id", "=", "l.key_id"),
    )
    .select("c.developer_id").where("l.org_id", "=", p.org_id)
    .where("l.plan_id", "in", [p._id, p.id])
    .where("l.state", "<>", sql.lit("revoked" as const))
    .limit(sql.lit(MOST_COUNTED))
);
