import { sql } from "kysely";
import type { StoredRow } from "../../storage/schema.ts";
import { columnsOf } from "../../storage/rows.ts";
import { type SqlValue, statement } from "../../storage/statement.ts";
import { all, atMost, change, lockAll, lockOne, one } from "../../storage/statement-functions.ts";
import { finds, inserts, removes } from "../../storage/table-statements.ts";
import type { Tx } from "../../storage/storage.ts";

/** A channel as it is stored. */
export type ChannelRow = StoredRow<"delivery_targets">;

const COLUMNS = columnsOf("delivery_targets");

type Place = { org_id: string; id: string };

/** Adds a channel. */
export const insertChannel = change(inserts("delivery_targets"));

/** A channel, or undefined. */
export const findChannel = one(finds("delivery_targets"));

/**
 * A channel, held until the transaction ends, or undefined. Lines of its deliveries change only
 * while it is held.
 */
export const lockChannel = lockOne(finds("delivery_targets"));

/** Every channel of an organisation, held until the transaction ends, in the order of their ids. */
export const lockChannels = lockAll(finds("delivery_targets", { by: ["org_id"], order: ["id"] }));

/** Up to `limit` channels of an organisation with smaller ids, the newest first. */
export const channelsBelow = atMost((db, p: { org_id: string; below: string }, limit) =>
  db.selectFrom("delivery_targets").select(COLUMNS)
    .where("org_id", "=", p.org_id).where("id", "<", p.below)
    .orderBy("id", "desc").limit(limit)
);

/** The changeable columns of a channel. */
export type ChannelChange = Pick<
  ChannelRow,
  | "name"
  | "config"
  | "topics"
  | "secrets"
  | "old_secret_until"
  | "state"
  | "state_reason"
  | "state_changed_at"
  | "failing_since"
  | "failures"
  | "wake_by"
>;

const updateSql = statement<Place & { [K in keyof ChannelChange]: ChannelChange[K] & SqlValue }>()((
  db,
  p,
) =>
  db.updateTable("delivery_targets").set({
    name: p.name,
    config: p.config,
    topics: p.topics,
    secrets: p.secrets,
    old_secret_until: p.old_secret_until,
    state: p.state,
    state_reason: p.state_reason,
    state_changed_at: p.state_changed_at,
    failing_since: p.failing_since,
    failures: p.failures,
    wake_by: p.wake_by,
  }).where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Changes a channel that the transaction holds; gives it as it is then. */
export async function updateChannel(
  tx: Tx,
  row: ChannelRow,
  change: Partial<ChannelChange>,
): Promise<ChannelRow> {
  const whole = { ...row, ...change };
  const { kind: _, starts_behind: __, created_at: ___, ...params } = whole;
  await tx.change(updateSql, params);
  return whole;
}

/** Removes a channel that the transaction holds. */
export const removeChannel = change(removes("delivery_targets"));

/** Every channel, of any organisation, that is not paused and has a delivery to be tried now. */
export const channelsDue = all((db, p: { now: string }) =>
  db.selectFrom("delivery_targets as t").select(["t.org_id", "t.id"])
    .where("t.state", "=", sql.lit("active"))
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("deliveries as d").select("d.id")
          .whereRef("d.org_id", "=", "t.org_id").whereRef("d.target_id", "=", "t.id")
          .where("d.due_at", "is not", null).where("d.due_at", "<=", p.now),
      )
    )
);

/** Every channel, of any organisation, that takes messages again and for which some wait still. */
export const channelsWaking = all((db) =>
  db.selectFrom("delivery_targets").select(["org_id", "id"])
    .where("wake_by", "is not", null).where("state", "=", sql.lit("active"))
);

/** A channel, of any organisation, that is paused because it failed; undefined: there is none. */
export const pausedByFailing = one((db) =>
  db.selectFrom("delivery_targets").select(["org_id", "id"])
    .where("state", "=", sql.lit("paused"))
    .where("state_reason", "in", [sql.lit("failing"), sql.lit("gone")])
    .limit(sql.lit(1))
);
