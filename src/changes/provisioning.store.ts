import { sql } from "kysely";
import { change, exists, send } from "../storage/statement-functions.ts";
import { inserts } from "../storage/table-statements.ts";
import { rowsOfKeys } from "./provisioned.store.ts";

/** The columns of a row of `provisioned_keys` that begins: who, how urgent, and then as `begun`. */
export const BEGUN = [
  "org_id",
  "gateway_id",
  "key_id",
  "object",
  "urgency",
  "remote_id",
  "wanted",
  "done",
  "state",
  "reason",
  "since",
  "due_at",
  "tries",
  "held",
] as const;

/** The first values of such a row: nothing was synced to the gateway yet. */
export function begun(now: string) {
  return [
    sql.lit(1).as("wanted"),
    sql.lit(0).as("done"),
    sql<"waiting">`'waiting'`.as("state"),
    sql<string>`''`.as("reason"),
    sql<string>`${now}`.as("since"),
    sql<string>`${now}`.as("due_at"),
    sql.lit(0).as("tries"),
    sql<string>`''`.as("held"),
  ] as const;
}

/** A change that closes a key is synced before all others. */
export const URGENCY_OF_KEY = sql<number>`case when c.state = 'active' then 1 else 0 end`;

/** The row that is there, raised by one that would begin; `since` stays while it waits already. */
export const RAISED = {
  wanted: sql<number>`provisioned_keys.wanted + 1`,
  since: sql<string>`case when provisioned_keys.state = 'waiting'
    then provisioned_keys.since else excluded.since end`,
  state: sql<"waiting">`'waiting'`,
  reason: sql<string>`''`,
  due_at: sql<string>`excluded.due_at`,
  urgency: sql<number>`excluded.urgency`,
  tries: sql.lit(0),
  // One that is ended may have been made there by a turn that died: it may open until it is read.
  held: sql<string>`case when excluded.urgency = 0 and provisioned_keys.held = ''
    then 'closing ? ' else provisioned_keys.held end`,
};

/**
 * Has every gateway of the organisation brought to what the key is at that time: a row for each,
 * raised where it is there. A key that opens nothing from now on goes first. Nothing is written
 * where there is no gateway.
 */
export const wantKey = send((db, p: { org_id: string; key_id: string; now: string }) =>
  db.insertInto("provisioned_keys").columns(BEGUN).expression(
    db.selectFrom("gateways as g")
      .innerJoin("credentials as c", (join) => join.onRef("c.org_id", "=", "g.org_id"))
      .select(["g.org_id", "g.id as gateway_id", "c.key_id"])
      .select(sql<"key">`'key'`.as("object"))
      .select(URGENCY_OF_KEY.as("urgency"))
      .select(sql<string>`coalesce(c.imported_as, '')`.as("remote_id"))
      .select(begun(p.now))
      .where("g.org_id", "=", p.org_id).where("c.key_id", "=", p.key_id),
  ).onConflict((conflict) =>
    conflict.columns(["org_id", "gateway_id", "key_id"]).doUpdateSet(RAISED)
  )
);

/**
 * Keeps, sealed, what gateways need to make a key that was just issued. Their rows are added behind
 * the answer, from this one: each of them is a page or more of its own.
 */
export const insertNew = send(inserts("provisioning_new"));

/** Has every key of the organisation compared anew with what its gateways hold. */
export const wantAllKeys = send((db, p: { org_id: string }) =>
  db.updateTable("gateways").set({ filled_to: sql.lit("") }).where("org_id", "=", p.org_id)
);

/** Follows a key that is known by another id from now on: what gateways call it stays. */
export const renameProvisioned = change((
  db,
  p: { org_id: string; key_id: string; to: string },
  dialect,
) =>
  db.updateTable("provisioned_keys").set({
    key_id: p.to,
    remote_id: sql<string>`case when remote_id = '' then key_id else remote_id end`,
  }).where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
    .where(
      "gateway_id",
      "in",
      db.selectFrom(rowsOfKeys("k", dialect)).select("k.gateway_id")
        .where("k.org_id", "=", p.org_id).where("k.key_id", "=", p.key_id),
    )
);

/** Whether the organisation has gateways that hold keys. */
export const hasGateways = exists((db, p: { org_id: string }) =>
  db.selectFrom("gateways").select("id").where("org_id", "=", p.org_id).limit(sql.lit(1))
);
