import { type SelectQueryBuilder, sql } from "kysely";
import { rowsOfKeys } from "../../../changes/provisioned.store.ts";
import { rowOf } from "../../../storage/rows.ts";
import type { Database, StoredRow } from "../../../storage/schema.ts";
import type { Dialect } from "../../../storage/statement.ts";
import { atMost, change, exists, one, send } from "../../../storage/statement-functions.ts";
import { puts, removes } from "../../../storage/table-statements.ts";
import { isValidInOtherSystems, type Origin } from "./elsewhere.ts";
import type { Schedule, ScheduledKey, UnusedTerms } from "./unused-rule.ts";

/** A schedule as it is stored. */
type ScheduleRow = StoredRow<"key_schedules">;

type Place = { org_id: string; key_id: string };

/** The columns by which a key's schedule decides. */
function scheduled<O>(
  query: SelectQueryBuilder<Database & { c: Database["credentials"] }, "c", O>,
  dialect: Dialect,
) {
  return query
    .leftJoin(
      "credential_uses as u",
      (join) => join.onRef("u.org_id", "=", "c.org_id").onRef("u.key_id", "=", "c.key_id"),
    )
    .leftJoin(
      "keys_elsewhere as e",
      (join) => join.onRef("e.org_id", "=", "c.org_id").onRef("e.key_id", "=", "c.key_id"),
    )
    .leftJoin(
      "key_schedules as s",
      (join) => join.onRef("s.org_id", "=", "c.org_id").onRef("s.key_id", "=", "c.key_id"),
    )
    .select(["c.key_id", "c.plans", "c.state", "c.issued_at", "c.state_changed_at"])
    .select(["c.expires_at", "c.replaced_by", "c.attempt_id", "c.imported_as"])
    .select(["u.last_used_at", "e.elsewhere as said_elsewhere", "e.said_by", "e.said_at"])
    .select((eb) =>
      eb.selectFrom(rowsOfKeys("g", dialect)).select("g.gateway_id")
        .whereRef("g.org_id", "=", "c.org_id").whereRef("g.key_id", "=", "c.key_id")
        .where("g.state", "<>", sql.lit("gone")).limit(sql.lit(1)).as("gateway_id")
    )
    .select(["s.step", "s.at", "s.idle_since", "s.due_at", "s.event_id", "s.sent_at"]);
}

/**
 * The active keys of a plan, by one of its ids, behind a place: the longest issued first. Keys
 * alone that are looked at together.
 */
export const keysBehind = atMost((
  db,
  p: { org_id: string; plan_id: string; issued_at: string; key_id: string },
  limit,
  dialect,
) =>
  scheduled(
    db.selectFrom((inner) =>
      inner.selectFrom("credential_plans").select(["org_id", "key_id", "issued_at"])
        .where("org_id", "=", p.org_id).where("plan_id", "=", p.plan_id)
        .where("state", "=", sql.lit("active"))
        .where(sql<boolean>`(issued_at, key_id) > (${p.issued_at}, ${p.key_id})`)
        .orderBy("issued_at").orderBy("key_id").limit(limit).as("l")
    ).innerJoin(
      "credentials as c",
      (join) => join.onRef("c.org_id", "=", "l.org_id").onRef("c.key_id", "=", "l.key_id"),
    ),
    dialect,
  ).orderBy("c.issued_at").orderBy("c.key_id")
);

/** One key, as its schedule sees it; or undefined. */
export const findScheduledKey = one((db, p: Place, dialect) =>
  scheduled(db.selectFrom("credentials as c"), dialect).where("c.org_id", "=", p.org_id)
    .where("c.key_id", "=", p.key_id)
);

export type KeyFacts = NonNullable<Awaited<ReturnType<typeof findScheduledKey>>>;

/** The keys whose time has come, the longest due first. */
export const dueSchedules = atMost((db, p: { org_id: string; now: string }, limit) =>
  db.selectFrom("key_schedules").select(["key_id", "due_at"])
    .where("org_id", "=", p.org_id).where("due_at", "is not", null).where("due_at", "<=", p.now)
    .orderBy("due_at").orderBy("key_id").limit(limit)
);

/** Whether any key's time has come. */
export const isAnyScheduleDue = exists((db, p: { org_id: string; now: string }) =>
  db.selectFrom("key_schedules").select("key_id")
    .where("org_id", "=", p.org_id).where("due_at", "is not", null).where("due_at", "<=", p.now)
    .limit(sql.lit(1))
);

/** Puts a key at a step, in place of the one at which it was. Its key is held. */
export const putSchedule = change(puts("key_schedules"));

/** Puts a key at the first step where it still is at the one that was seen; "": at none. */
export const enterSchedule = send((db, p: ScheduleRow & { seen_at: string }) =>
  db.insertInto("key_schedules").values(rowOf("key_schedules", p))
    .onConflict((conflict) =>
      conflict.columns(["org_id", "key_id"])
        .doUpdateSet(rowOf("key_schedules", p, "org_id", "key_id"))
        .where("key_schedules.at", "=", p.seen_at)
    )
);

/** Takes a key out of the schedule. */
export const removeSchedule = send(removes("key_schedules"));

/** Says whether other gateways open for a key. */
export const putElsewhere = change(puts("keys_elsewhere"));

/** Takes back what was said of that. */
export const removeElsewhere = send(removes("keys_elsewhere"));

/** The schedule of a key; undefined: it has none. */
export function scheduleIn(row: KeyFacts): Schedule | undefined {
  const { step, at, idle_since, due_at, event_id, sent_at } = row;
  if (step === null || at === null || idle_since === null || event_id === null) return undefined;
  return { step, at, idle_since, due_at, event_id, sent_at };
}

/** The key itself, as a rule sees it at `now`. */
export function keyIn(
  row: Omit<KeyFacts, keyof Origin> & Origin,
  rule: Pick<UnusedTerms, "imported">,
  now: string,
): ScheduledKey {
  const { issued_at, state_changed_at, last_used_at, step, at } = row;
  const isOver = row.replaced_by !== null || (row.expires_at !== null && row.expires_at <= now);
  return {
    issued_at,
    state_changed_at,
    last_used_at,
    kept_at: step === "kept" ? at : null,
    state: row.state === "active" && isOver ? "ended" : row.state,
    elsewhere: isValidInOtherSystems(row, rule),
  };
}

/** Mails of one event to its developer, the newest first. `behind`: an id after all of them. */
export const mailsOfWarning = atMost((
  db,
  p: { org_id: string; event_id: string; behind: string },
  limit,
) =>
  db.selectFrom("deliveries").select(["state", "ended_at"]).where("org_id", "=", p.org_id)
    // Ids of deliveries begin with their event's.
    .where("id", ">=", p.event_id).where("id", "<", p.behind)
    .where("event_id", "=", p.event_id).where("recipient", "<>", sql.lit(""))
    .orderBy("id", "desc").limit(limit)
);
