import { sql } from "kysely";
import { columnsOf, rowOf } from "../../storage/rows.ts";
import type { StoredRow } from "../../storage/schema.ts";
import { all, change, changed, numberOf, one } from "../../storage/statement-functions.ts";
import { finds, inserts, removes, updates } from "../../storage/table-statements.ts";

type Place = { org_id: string; id: string };

/** A rule as it is stored. */
export type TemporaryAccessRuleRow = StoredRow<"elevation_rules">;
/** Temporary access as it is stored. */
export type TemporaryAccessRow = StoredRow<"elevations">;

const RULE = ["org_id", "id", "terms", "created_at", "updated_at"] as const;
const TEMPORARY_ACCESS = columnsOf("elevations");

/** A rule of the organisation; or undefined. */
export const findTemporaryAccessRule = one(finds("elevation_rules"));

/** The organisation's rules, the oldest first. */
export const temporaryAccessRulesOf = all(
  finds("elevation_rules", { by: ["org_id"], order: ["id"] }),
);

/** Those of all organisations. */
export const everyTemporaryAccessRule = all((db) =>
  db.selectFrom("elevation_rules").select(RULE).orderBy("org_id").orderBy("id")
    .limit(sql.lit(1000))
);

/** Adds a rule. */
export const insertTemporaryAccessRule = change(inserts("elevation_rules"));

/** Sets what is set of a rule. */
export const updateTemporaryAccessRule = change(updates("elevation_rules", "terms", "updated_at"));

/** Removes a rule. False where there is none. */
export const removeTemporaryAccessRule = changed(removes("elevation_rules"));

/** Temporary access of the organisation; or undefined. */
export const findTemporaryAccess = one(finds("elevations"));

/** Temporary access with smaller ids, so older, newest first, 100 at the most. */
export const temporaryAccessesOf = all((db, p: { org_id: string }) =>
  db.selectFrom("elevations").select(TEMPORARY_ACCESS).where("org_id", "=", p.org_id)
    .orderBy("id", "desc").limit(sql.lit(100))
);

/** Temporary access of an organisation that is asked or open. */
export const temporaryAccessesUnderWay = all((db, p: { org_id: string }) =>
  db.selectFrom("elevations").select(TEMPORARY_ACCESS).where("org_id", "=", p.org_id)
    .where("ended_at", "is", null).orderBy("person_id").limit(sql.lit(1000))
);

/** Those of all organisations, 1,000 at the most. */
export const everyTemporaryAccessUnderWay = all((db) =>
  db.selectFrom("elevations").select(TEMPORARY_ACCESS).where("ended_at", "is", null)
    .orderBy("org_id").orderBy("person_id").limit(sql.lit(1000))
);

/** How many are open in the whole store. */
export const countOpenTemporaryAccess = numberOf((db) =>
  db.selectFrom("elevations").select((eb) => eb.fn.countAll().as("n"))
    .where("ended_at", "is", null).where("state", "=", sql.lit("open"))
);

type Fresh = Omit<
  TemporaryAccessRow,
  "deeds" | "seen_at" | "confirmed_by" | "ended_at" | "ended_by" | "end_reason"
>;

/** Adds temporary access that is asked or open. */
export const insertTemporaryAccess = change((db, p: Fresh) =>
  db.insertInto("elevations").values({
    ...rowOf(
      "elevations",
      p,
      "deeds",
      "seen_at",
      "confirmed_by",
      "ended_at",
      "ended_by",
      "end_reason",
    ),
    deeds: sql.lit(0),
  })
);

/** Opens one that is asked. False where it is so no more. */
export const openTemporaryAccess = changed((
  db,
  p: Place & Record<"terms" | "started_at" | "expires_at" | "confirmed_by", string>,
) =>
  db.updateTable("elevations").set({
    state: sql.lit("open"),
    terms: p.terms,
    started_at: p.started_at,
    expires_at: p.expires_at,
    confirmed_by: p.confirmed_by,
  }).where("org_id", "=", p.org_id).where("id", "=", p.id).where("state", "=", sql.lit("asked"))
);

/** Ends one that is asked or open, for good: what it gave is gone. False where it has ended. */
export const markTemporaryAccessEnded = changed((
  db,
  p: Place & Record<"ended_at" | "ended_by" | "end_reason", string>,
) =>
  db.updateTable("elevations").set({
    state: sql.lit("ended"),
    terms: null,
    ended_at: p.ended_at,
    ended_by: p.ended_by,
    end_reason: p.end_reason,
  }).where("org_id", "=", p.org_id).where("id", "=", p.id).where("ended_at", "is", null)
);

/** Keeps when open temporary access was seen; a later time that is there already stays. */
export const noteTemporaryAccessSeen = change((db, p: Place & { seen_at: string }) =>
  db.updateTable("elevations").set({ seen_at: p.seen_at })
    .where("org_id", "=", p.org_id).where("id", "=", p.id).where("ended_at", "is", null)
    .where((eb) => eb.or([eb("seen_at", "is", null), eb("seen_at", "<", p.seen_at)]))
);
