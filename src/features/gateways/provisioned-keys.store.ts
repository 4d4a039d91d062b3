import { columnsOf } from "../../storage/rows.ts";
import { sql } from "kysely";
import { rowsOfKeys } from "../../changes/provisioned.store.ts";
import { BEGUN, begun, RAISED, URGENCY_OF_KEY } from "../../changes/provisioning.store.ts";
import {
  all,
  atMost,
  change,
  exists,
  lockOne,
  one,
  value,
} from "../../storage/statement-functions.ts";
import { finds, updates } from "../../storage/table-statements.ts";
import type { Dialect } from "../../storage/statement.ts";
import { valuesIn } from "../../storage/values-in.ts";
import type { ProvisionedRow } from "./gateway.ts";

const COLUMNS = columnsOf("provisioned_keys");

const word = (state: ProvisionedRow["state"]) => sql.lit<ProvisionedRow["state"]>(state);
/** States in which a key may be tried at once. */
const TO_HURRY = [word("waiting"), word("stuck"), word("diverged")];
/** States in which a gateway may need the secret still. */
const TO_MAKE = [word("waiting"), word("stuck")];

/** States in which a key is at a gateway, or may. */
const TO_END = [...TO_HURRY, word("delivered")];

type Of = { org_id: string; gateway_id: string };
type Place = Of & { key_id: string };

/** Whether something is to be done at a gateway at that time. */
export const hasDue = exists((db, p: Of & { now: string }) =>
  db.selectFrom("provisioned_keys").select("key_id").where("org_id", "=", p.org_id)
    .where("gateway_id", "=", p.gateway_id).where("due_at", "is not", null)
    .where("due_at", "<=", p.now).limit(sql.lit(1))
);

/** The keys due at a gateway at that time: those that close first, then those due longest. */
export const dueKeys = atMost((db, p: Of & { now: string; urgency: number }, limit) =>
  db.selectFrom("provisioned_keys").select(COLUMNS).where("org_id", "=", p.org_id)
    .where("gateway_id", "=", p.gateway_id).where("urgency", "=", p.urgency)
    .where("due_at", "is not", null).where("due_at", "<=", p.now)
    .orderBy("due_at").limit(limit)
);

/** The state of a key at a gateway, locked until the transaction ends; or undefined. */
export const lockProvisioned = lockOne(finds("provisioned_keys"));

/** The state of a key at a gateway, or undefined. */
export const findProvisioned = one(finds("provisioned_keys"));

/** Notes what became of a key at a gateway, which the transaction holds. */
export const setProvisioned = change(
  updates(
    "provisioned_keys",
    "done",
    "state",
    "reason",
    "since",
    "due_at",
    "urgency",
    "tries",
    "remote_id",
    "held",
    "delivered_at",
  ),
);

/** A row for each key id of a JSON array that has none at this gateway; others are raised. */
export const addProvisioned = change((
  db,
  p: Of & { key_ids: string; now: string },
  dialect,
) =>
  db.insertInto("provisioned_keys").columns(BEGUN).expression(
    db.selectFrom("credentials as c").select("c.org_id")
      .select(sql<string>`${p.gateway_id}`.as("gateway_id"))
      .select("c.key_id")
      .select(sql<"key">`'key'`.as("object"))
      .select(URGENCY_OF_KEY.as("urgency"))
      .select(sql<string>`coalesce(c.imported_as, '')`.as("remote_id"))
      .select(begun(p.now))
      .where("c.org_id", "=", p.org_id).where("c.key_id", "in", listed(p.key_ids, dialect)),
  ).onConflict((conflict) =>
    conflict.columns(["org_id", "gateway_id", "key_id"]).doUpdateSet(RAISED)
  )
);

/** A newly changed key is no longer one to be read only. */
const asChanged = sql<number>`case when urgency = 2 then 1 else urgency end`;

/** Has everything at a gateway brought there anew. `is_lost` 1: it holds nothing of it any more. */
export const wantAllOf = change((db, p: Of & { now: string; is_lost: number }) =>
  db.updateTable("provisioned_keys").set({
    wanted: sql<number>`wanted + 1`,
    done: sql<number>`case when ${p.is_lost} = 1 then 0 else done end`,
    // A key that is being ended may be accepted from the gateway's memory, and come back by that.
    held: sql<string>`case when ${p.is_lost} = 1 and urgency = 0 and held like '{"is":"open"%'
      then 'closing ? ' || held else held end`,
    state: sql.lit("waiting"),
    reason: sql.lit(""),
    since: p.now,
    due_at: p.now,
    tries: sql.lit(0),
    urgency: asChanged,
  }).where("org_id", "=", p.org_id).where("gateway_id", "=", p.gateway_id)
    .where("state", "<>", sql.lit("gone"))
);

/** Notes that a gateway opens to the keys of a JSON array, although they were ended there. */
export const openAgain = change((db, p: Of & { key_ids: string }, dialect) =>
  db.updateTable("provisioned_keys").set({ held: sql<string>`'closing ? ' || held` })
    .where("org_id", "=", p.org_id).where("gateway_id", "=", p.gateway_id)
    .where("key_id", "in", listed(p.key_ids, dialect))
    .where("held", "not like", sql.lit("closing %"))
);

/** Has what waits, is stuck or diverged at a gateway tried now. Gives how many. */
export const hurryKeys = change((db, p: Of & { now: string }) =>
  db.updateTable("provisioned_keys").set({
    wanted: sql<number>`wanted + 1`,
    state: sql.lit("waiting"),
    reason: sql.lit(""),
    due_at: p.now,
    tries: sql.lit(0),
    urgency: asChanged,
  }).where("org_id", "=", p.org_id).where("gateway_id", "=", p.gateway_id)
    .where("state", "in", TO_HURRY)
);

/** Hurries one key, whatever its state. */
export const hurryKey = change((db, p: Place & { now: string }) =>
  db.updateTable("provisioned_keys").set({
    wanted: sql<number>`wanted + 1`,
    state: sql.lit("waiting"),
    reason: sql.lit(""),
    since: p.now,
    due_at: p.now,
    tries: sql.lit(0),
    urgency: asChanged,
  }).where("org_id", "=", p.org_id).where("gateway_id", "=", p.gateway_id)
    .where("key_id", "=", p.key_id)
);

/** Has the keys of a JSON array read there behind all else; nothing is wanted of them. */
export const lookAtKeys = change((db, p: Of & { key_ids: string; now: string }, dialect) =>
  db.updateTable("provisioned_keys").set({ due_at: p.now, urgency: sql.lit(2) })
    .where("org_id", "=", p.org_id).where("gateway_id", "=", p.gateway_id)
    .where("key_id", "in", listed(p.key_ids, dialect)).where("due_at", "is", null)
);

/** Has keys looked at that were ended at a gateway and may still open there. */
export const lookAtClosing = change((db, p: Of & { now: string }) =>
  db.updateTable("provisioned_keys").set({ due_at: p.now }).where("org_id", "=", p.org_id)
    .where("gateway_id", "=", p.gateway_id).where("state", "in", [word("gone"), word("delivered")])
    .where("held", "like", sql.lit("closing %"))
);

/** The texts of a JSON array, of which a column is one. */
function listed(texts: string, dialect: Dialect) {
  return sql<string>`${valuesIn(texts, dialect)}`;
}

/** Rows of a gateway behind a key id, in the order of key ids; `state` "": of every state. */
export const provisionedBehind = atMost((db, p: Of & { behind: string }, limit) =>
  db.selectFrom("provisioned_keys").select(COLUMNS).where("org_id", "=", p.org_id)
    .where("gateway_id", "=", p.gateway_id).where("key_id", ">", p.behind)
    .orderBy("key_id").limit(limit)
);

/** The keys of one state. */
export const provisionedOfState = atMost((
  db,
  p: Of & { behind: string; state: ProvisionedRow["state"] },
  limit,
) =>
  db.selectFrom("provisioned_keys").select(COLUMNS).where("org_id", "=", p.org_id)
    .where("gateway_id", "=", p.gateway_id).where("state", "=", p.state)
    .where("key_id", ">", p.behind).orderBy("key_id").limit(limit)
);

/** The states of a key at each gateway. */
export const provisionedOfKey = all((db, p: { org_id: string; key_id: string }, dialect) =>
  db.selectFrom(rowsOfKeys("k", dialect)).select(COLUMNS).where("k.org_id", "=", p.org_id)
    .where("k.key_id", "=", p.key_id).orderBy("k.gateway_id")
);

/** Keys of a gateway that differ for a reason that begins so. */
export const keysWithReason = atMost((db, p: Of & { reason: string }, limit) =>
  db.selectFrom("provisioned_keys").select("key_id").where("org_id", "=", p.org_id)
    .where("gateway_id", "=", p.gateway_id).where("state", "=", word("diverged"))
    .where(sql<string>`substr(reason, 1, length(${p.reason}))`, "=", p.reason).limit(limit)
);

/** How many keys a gateway has of each state. */
export const countStates = all((db, p: Of) =>
  db.selectFrom("provisioned_keys").select(["state", sql<number>`count(*)`.as("n")])
    .where("org_id", "=", p.org_id).where("gateway_id", "=", p.gateway_id).groupBy("state")
);

/** Whether a gateway still has a key, or is to be looked at for one. */
export const hasKeys = exists((db, p: Of) =>
  db.selectFrom("provisioned_keys").select("key_id").where("org_id", "=", p.org_id)
    .where("gateway_id", "=", p.gateway_id).where(({ or, eb }) =>
      or([eb("state", "in", TO_END), eb("due_at", "is not", null)])
    ).limit(sql.lit(1))
);

/** Since when the key that waits longest waits; or undefined. */
export const waitsSince = value((db, p: Of) =>
  db.selectFrom("provisioned_keys").select("since").where("org_id", "=", p.org_id)
    .where("gateway_id", "=", p.gateway_id).where("state", "=", sql.lit("waiting"))
    .orderBy("since").limit(sql.lit(1))
);

/** Forgets rows of a gateway up to a key id. Gives how many. */
export const forgetProvisioned = change((db, p: Of & { up_to: string }) =>
  db.deleteFrom("provisioned_keys").where("org_id", "=", p.org_id)
    .where("gateway_id", "=", p.gateway_id).where("key_id", "<=", p.up_to)
);

/** How many keys are still to be read at a gateway, without anything being wanted of them. */
export const countReading = value((db, p: Of) =>
  db.selectFrom("provisioned_keys").select(sql<number>`count(*)`.as("n"))
    .where("org_id", "=", p.org_id).where("gateway_id", "=", p.gateway_id)
    .where("urgency", "=", sql.lit(2)).where("due_at", "is not", null)
);

/** The sealed secret of a key; undefined: it is gone. */
export const findSecret = value(finds("provisioning_secrets", { columns: ["secret"] }));

/** Holds the secret of a key until the transaction ends; undefined: there is none. */
export const lockSecret = lockOne(finds("provisioning_secrets", { columns: ["key_id"] }));

/**
 * Forgets the secret of a key that no gateway waits for, which the transaction holds: of two
 * gateways that have it at the same moment the second one sees the first.
 */
export const forgetSecret = change((db, p: { org_id: string; key_id: string }, dialect) =>
  db.deleteFrom("provisioning_secrets").where("org_id", "=", p.org_id)
    .where("key_id", "=", p.key_id)
    .where(({ not, exists, selectFrom }) =>
      not(exists(
        selectFrom(rowsOfKeys("k", dialect)).select("k.key_id")
          .where("k.org_id", "=", p.org_id).where("k.key_id", "=", p.key_id)
          .where("k.state", "in", TO_MAKE),
      ))
    )
);

/** Forgets every secret of an organisation that has no gateway any more. */
export const forgetUnneededSecrets = change((db, p: { org_id: string }) =>
  db.deleteFrom("provisioning_secrets").where("org_id", "=", p.org_id)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom("gateways as g").select("g.id").where("g.org_id", "=", p.org_id)))
    )
);

/** Forgets secrets whose time is over. */
export const forgetOldSecrets = change((db, p: { now: string }) =>
  db.deleteFrom("provisioning_secrets").where("expires_at", "<=", p.now)
);

/** Whether a secret's time is over. */
export const hasOldSecret = exists((db, p: { now: string }) =>
  db.selectFrom("provisioning_secrets").select("key_id").where("expires_at", "<=", p.now)
    .limit(sql.lit(1))
);
