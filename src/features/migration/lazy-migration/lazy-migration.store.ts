import { sql } from "kysely";
import { leaseIn } from "../../../storage/lease.ts";
import { rowOf } from "../../../storage/rows.ts";
import {
  all,
  atMost,
  change,
  changed,
  exists,
  lockOne,
  numberOf,
  one,
  send,
  value,
} from "../../../storage/statement-functions.ts";
import { finds, updates } from "../../../storage/table-statements.ts";
import type { LazyMigrationRow, MigratedRow } from "./lazy-migration.ts";

/** The right to ask anew about what was learned, which one node has at a time. */
export const migrationLease = leaseIn("learning_lease", 15_000);

/** The columns of a due key. */
const DUE = [
  "l.org_id",
  "l.key_id",
  "l.gateway_id",
  "l.remote_id",
  "l.asked_at",
  "l.seen",
] as const;

/** The columns with which a gateway is called. */
const GATEWAY = ["g.url", "g.secret", "g.canary", "g.plans", "g.kind", "g.state"] as const;

type Of = { org_id: string; gateway_id: string };
type Started = {
  [K in Exclude<keyof LazyMigrationRow, "confirmed_at" | "losses_since" | "losses">]:
    LazyMigrationRow[K];
};
type OfKey = { org_id: string; key_id: string };

/** Whether, and until when, a gateway teaches; undefined: it never did. */
export const findLazyMigration = one(finds("key_learning"));

/**
 * The lazy migrations of every gateway of an organisation, with its name; null: it was removed.
 */
export const learningsOf = all((db, p: { org_id: string }) =>
  db.selectFrom("key_learning as l")
    .leftJoin(
      "gateways as g",
      (join) => join.onRef("g.org_id", "=", "l.org_id").onRef("g.id", "=", "l.gateway_id"),
    )
    .select(["l.org_id", "l.gateway_id", "l.started_at", "l.started_by", "l.ends_at"])
    .select(["l.questions_per_second", "l.confirmed_at", "l.losses_since", "l.losses"])
    .select("g.name as gateway_name")
    .where("l.org_id", "=", p.org_id).orderBy("l.gateway_id")
);

/** The lazy migration of one, locked until the transaction ends. */
export const lockLazyMigration = lockOne(finds("key_learning"));

/** Says that a gateway teaches, from when on and until when; what was said before is replaced. */
export const putLazyMigration = change((db, p: Started) =>
  db.insertInto("key_learning").values({
    ...rowOf("key_learning", p, "confirmed_at", "losses_since", "losses"),
    losses: sql.lit(0),
  }).onConflict((conflict) =>
    conflict.columns(["org_id", "gateway_id"]).doUpdateSet({
      started_at: p.started_at,
      started_by: p.started_by,
      ends_at: p.ends_at,
      questions_per_second: p.questions_per_second,
    })
  )
);

/** Ends learning from a gateway now. */
export const endLazyMigration = change((db, p: Of & { now: string }) =>
  db.updateTable("key_learning").set({ ends_at: p.now })
    .where("org_id", "=", p.org_id).where("gateway_id", "=", p.gateway_id)
);

/** The gateways of an organisation that teach at this time, with how they are called. */
export const sourcesOf = all((db, p: { org_id: string; now: string }) =>
  db.selectFrom("key_learning as l")
    .innerJoin(
      "gateways as g",
      (join) => join.onRef("g.org_id", "=", "l.org_id").onRef("g.id", "=", "l.gateway_id"),
    )
    .select(["l.org_id", "g.id", "l.ends_at", "l.questions_per_second", "l.confirmed_at"])
    .select(GATEWAY)
    .where("l.org_id", "=", p.org_id).where("l.ends_at", ">", p.now)
    .where("g.state", "<>", sql.lit("ending")).where("g.unconfirmed_since", "is", null)
    .orderBy("g.id")
);

/** The source gateways of every organisation. */
export const everySource = all((db, p: { now: string }) =>
  db.selectFrom("key_learning as l")
    .innerJoin(
      "gateways as g",
      (join) => join.onRef("g.org_id", "=", "l.org_id").onRef("g.id", "=", "l.gateway_id"),
    )
    .select(["l.org_id", "g.id", "l.ends_at", "l.questions_per_second", "l.confirmed_at"])
    .select(GATEWAY)
    .where("l.ends_at", ">", p.now).where("g.state", "<>", sql.lit("ending"))
    .where("g.unconfirmed_since", "is", null)
    .orderBy("l.org_id").orderBy("g.id")
);

/** A key that was learned by this name; undefined: none was. */
export const findMigratedAs = value((db, p: Of & { remote_id: string }) =>
  db.selectFrom("learned_keys").select("key_id").where("org_id", "=", p.org_id)
    .where("gateway_id", "=", p.gateway_id).where("remote_id", "=", p.remote_id)
);

/** A key that a gateway calls so, as far as something was brought there; undefined: none. */
export const findNamedThere = value((db, p: Of & { remote_id: string }) =>
  db.selectFrom("provisioned_keys").select("key_id").where("org_id", "=", p.org_id)
    .where("gateway_id", "=", p.gateway_id).where("remote_id", "=", p.remote_id)
    .limit(sql.lit(1))
);

/** The data that decide about a key that has this name already. */
export const findStanding = one(
  finds("credentials", {
    columns: ["key_id", "state", "expires_at", "algorithm", "use_before", "wrapped_by"],
  }),
);

/** Adds a key that was learned. */
export const insertMigrated = send((
  db,
  p: {
    [K in Exclude<keyof MigratedRow, "reported" | "awaits_since">]: MigratedRow[K];
  },
) =>
  db.insertInto("learned_keys").values({
    ...rowOf("learned_keys", p, "reported", "awaits_since"),
    reported: sql.lit(""),
  })
);

/** Says by which name a key of ours is known at the gateway that taught it. */
export const setImportedAs = change((db, p: OfKey & { remote_id: string }) =>
  db.updateTable("credentials").set({ imported_as: p.remote_id })
    .where("org_id", "=", p.org_id).where("key_id", "=", p.key_id)
);

/** A key that was learned, held until the transaction ends. */
export const lockMigrated = lockOne(finds("learned_keys"));

/** Notes when the gateway was asked about a key. */
export const noteAsked = changed(updates("learned_keys", "asked_at"));

/** Notes what a gateway said of a key whose row is held, and what became of it. */
export const noteSeen = change(updates("learned_keys", "seen", "reported", "awaits_since"));

/** Counts keys that lost access by what a gateway said, since a time; its row is held. */
export const noteLosses = change(updates("key_learning", "losses", "losses_since"));

/** Notes a person's yes to what waits at a gateway; its row is held. */
export const noteConfirmed = change(updates("key_learning", "confirmed_at"));

/** How many keys of a gateway wait for a person's yes since later than `behind`. */
export const countAwaiting = numberOf((db, p: Of & { behind: string }) =>
  db.selectFrom("learned_keys").select((eb) => eb.fn.countAll<number>().as("n"))
    .where("org_id", "=", p.org_id).where("gateway_id", "=", p.gateway_id)
    .where("awaits_since", ">", p.behind)
);

/** Whether any does. */
export const isAnyAwaiting = exists((db, p: Of & { behind: string }) =>
  db.selectFrom("learned_keys").select("key_id")
    .where("org_id", "=", p.org_id).where("gateway_id", "=", p.gateway_id)
    .where("awaits_since", ">", p.behind).limit(sql.lit(1))
);

/** Since when the one waits that waits longest; undefined: none does. */
export const awaitsSince = value((db, p: Of & { behind: string }) =>
  db.selectFrom("learned_keys").select("awaits_since")
    .where("org_id", "=", p.org_id).where("gateway_id", "=", p.gateway_id)
    .where("awaits_since", ">", p.behind).orderBy("awaits_since").limit(sql.lit(1))
);

/** Keys that waited, and have had a person's yes at this time: they are asked about anew. */
export const dueConfirmed = atMost((db, p: Of & { confirmed_at: string }, limit) =>
  db.selectFrom("learned_keys as l").select(DUE)
    .where("l.org_id", "=", p.org_id).where("l.gateway_id", "=", p.gateway_id)
    .where("l.awaits_since", "<=", p.confirmed_at).where("l.asked_at", "<=", p.confirmed_at)
    .orderBy("l.awaits_since").limit(limit)
);

/**
 * Learned keys that were asked about at `asked_by` last, or before, and called since, whether or
 * not they were let in; `hour`: of the calls that are looked through, counted from 1970. A key may
 * be there several times.
 */
export const dueCalled = atMost((db, p: Of & { asked_by: string; hour: number }, limit) =>
  db.selectFrom("usage_hours as h")
    .innerJoin(
      "learned_keys as l",
      (join) => join.onRef("l.org_id", "=", "h.org_id").onRef("l.key_id", "=", "h.object_id"),
    )
    .innerJoin(
      "credentials as c",
      (join) => join.onRef("c.org_id", "=", "l.org_id").onRef("c.key_id", "=", "l.key_id"),
    )
    .select(DUE)
    .where("h.begins", ">=", p.hour).where("h.kind", "=", sql.lit("key"))
    .where("l.org_id", "=", p.org_id).where("l.gateway_id", "=", p.gateway_id)
    .where("l.asked_at", "<=", p.asked_by).whereRef("h.last_hit", ">", "l.asked_at")
    .where("c.state", "<>", sql.lit("revoked")).limit(limit)
);

/** How many keys were learned from a gateway. */
export const countMigrated = numberOf((db, p: Of) =>
  db.selectFrom("learned_keys").select((eb) => eb.fn.countAll<number>().as("n"))
    .where("org_id", "=", p.org_id).where("gateway_id", "=", p.gateway_id)
);

/**
 * Learned keys that were asked about at `asked_by` last, or before, and used since, at a gateway
 * that has its calls observed too: when is kept to the minute.
 */
export const dueInUse = atMost((db, p: Of & { asked_by: string }, limit) =>
  db.selectFrom("learned_keys as l")
    .innerJoin(
      "credentials as c",
      (join) => join.onRef("c.org_id", "=", "l.org_id").onRef("c.key_id", "=", "l.key_id"),
    )
    .innerJoin(
      "credential_uses as u",
      (join) => join.onRef("u.org_id", "=", "l.org_id").onRef("u.key_id", "=", "l.key_id"),
    )
    .select(DUE)
    .where("l.org_id", "=", p.org_id).where("l.gateway_id", "=", p.gateway_id)
    .where("l.asked_at", "<=", p.asked_by)
    .whereRef("u.last_used_at", ">", "l.asked_at")
    .where("c.state", "=", sql.lit("active"))
    .orderBy("l.asked_at").limit(limit)
);

/** Learned keys that were asked about at `asked_by` last, or before, and are not revoked here. */
export const dueAtRest = atMost((db, p: Of & { asked_by: string }, limit) =>
  db.selectFrom("learned_keys as l")
    .innerJoin(
      "credentials as c",
      (join) => join.onRef("c.org_id", "=", "l.org_id").onRef("c.key_id", "=", "l.key_id"),
    )
    .select(DUE)
    .where("l.org_id", "=", p.org_id).where("l.gateway_id", "=", p.gateway_id)
    .where("l.asked_at", "<=", p.asked_by).where("c.state", "<>", sql.lit("revoked"))
    .orderBy("l.asked_at").limit(limit)
);

/** How many those of dueAtRest are. */
export const countDue = numberOf((db, p: Of & { asked_by: string }) =>
  db.selectFrom("learned_keys as l")
    .innerJoin(
      "credentials as c",
      (join) => join.onRef("c.org_id", "=", "l.org_id").onRef("c.key_id", "=", "l.key_id"),
    )
    .select((eb) => eb.fn.countAll<number>().as("n"))
    .where("l.org_id", "=", p.org_id).where("l.gateway_id", "=", p.gateway_id)
    .where("l.asked_at", "<=", p.asked_by).where("c.state", "<>", sql.lit("revoked"))
);

/** The synced version of a key at the gateway: the same as the desired one, in that state. */
export const findBrought = one(finds("provisioned_keys", { columns: ["wanted", "done", "state"] }));
