import { type RawBuilder, sql } from "kysely";
import { columnsOf, rowOf } from "../../../storage/rows.ts";
import type { QueryBuilder } from "../../../storage/statement.ts";
import { atMost, change, exists, one, send, value } from "../../../storage/statement-functions.ts";
import { inserts } from "../../../storage/table-statements.ts";
import type { ReportedHashes } from "./reported.ts";

/** A report that waits to be worked off. */
export interface LeakReport extends ReportedHashes {
  at: string;
  /** The identifier of a partner's public key; "" for anybody. */
  reported_by: string;
  url: string;
  request_id: string;
  caller_request_id: string;
  client_address: string;
}

const COLUMNS = columnsOf("leak_reports");

/** Keeps a report until it is worked off; one that waits with the same text represents both. */
export const addReport = send(inserts("leak_reports", { unless: ["hash"] }));

/** Up to `limit` reports that wait, by their hash behind `behind`. */
export const reportsBehind = atMost((db, p: { behind: string }, limit) =>
  db.selectFrom("leak_reports").select(COLUMNS).where("hash", ">", p.behind)
    .orderBy("hash").limit(limit)
);

/** Takes a report away; undefined where another node has done so. */
export const takeReport = one((db, p: { hash: string }) =>
  db.deleteFrom("leak_reports").where("hash", "=", p.hash).returning(COLUMNS)
);

/** A leaked thing, with the strictest action requested so far. */
export interface LeakRow {
  org_id: string;
  object: "credential" | "access_token";
  object_id: string;
  /** As rows have it: storedLeakAction. */
  action: "tell" | "suspend" | "revoke";
  reported_at: string;
  reported_by: string;
  url: string;
}

type Place = Pick<LeakRow, "org_id" | "object" | "object_id">;

/** The action requested for a leaked thing, unless the report was marked as a false positive. */
export const findWanted = value((db, p: Place) =>
  db.selectFrom("leaks").select("action").where("org_id", "=", p.org_id)
    .where("dismissed_at", "is", null)
    .where("object", "=", p.object).where("object_id", "=", p.object_id)
);

/** A mark that is there keeps its first report, unless it was dismissed: then it is a new one. */
const kept = (column: "reported_at" | "reported_by" | "url") =>
  sql<string>`case when ${sql.ref(`leaks.${column}`)} is null or leaks.dismissed_at is null
    then ${sql.ref(`leaks.${column}`)} else ${sql.ref(`excluded.${column}`)} end`;

/** Marks something as leaked. A mark that stands keeps its first report, and takes the action. */
export const putLeak = change((db, p: LeakRow) =>
  db.insertInto("leaks").values(rowOf("leaks", p, "dismissed_at", "dismissed_by"))
    .onConflict((conflict) =>
      conflict.columns(["org_id", "object", "object_id"]).doUpdateSet({
        action: p.action,
        reported_at: kept("reported_at"),
        reported_by: kept("reported_by"),
        url: kept("url"),
        dismissed_at: null,
        dismissed_by: null,
      })
    )
);

/** Says of a key's mark that it is not so, once. 0 where that is said, or there is none. */
export const markDismissed = change((
  db,
  p: { org_id: string; key_id: string; at: string; by: string },
) =>
  db.updateTable("leaks").set({ dismissed_at: p.at, dismissed_by: p.by })
    .where("org_id", "=", p.org_id).where("object", "=", sql.lit("credential"))
    .where("object_id", "=", p.key_id).where("dismissed_at", "is", null)
);

/** Whether a key was ever reported as leaked. */
export const wasReported = exists((db, p: { org_id: string; key_id: string }) =>
  db.selectFrom("leaks").select("object_id").where("org_id", "=", p.org_id)
    .where("object", "=", sql.lit("credential")).where("object_id", "=", p.key_id)
);

/** A report with what became of what it names; its columns are null where that is gone. */
export interface LeakRead {
  reported_at: string;
  reported_by: string;
  url: string;
  dismissed_at: string | null;
  state: string | null;
  state_changed_at: string | null;
  expires_at: string | null;
  /** When that was issued which took over from it; null: nothing did. */
  replaced_at: string | null;
  name: string | null;
}

/** A report of a leaked key. */
export interface LeakedKey extends LeakRead {
  key_id: string;
  mask: string | null;
  developer_id: string | null;
  developer_email: string | null;
  plans: string | null;
}

/** A report of a leaked access token. */
export interface LeakedToken extends LeakRead {
  token_id: string;
  person_id: string | null;
  person_name: string | null;
}

/** Up to `limit` reports of keys behind a place, the newest first. */
export const leakedKeys = atMost((db, p: Behind, limit) =>
  leaksBehind(db, "credential", p, limit)
    .leftJoin(
      "credentials as c",
      (join) => join.onRef("c.org_id", "=", "k.org_id").onRef("c.key_id", "=", "k.object_id"),
    )
    .leftJoin(
      "credentials as r",
      (join) => join.onRef("r.org_id", "=", "c.org_id").onRef("r.key_id", "=", "c.replaced_by"),
    )
    .leftJoin(
      "developers as d",
      (join) => join.onRef("d.org_id", "=", "c.org_id").onRef("d.id", "=", "c.developer_id"),
    )
    .select(["k.object_id as key_id", "c.state", "c.state_changed_at", "c.expires_at", "c.mask"])
    .select((eb) =>
      // A replacement that is gone: then the change of the key itself tells when.
      eb.fn.coalesce(
        "r.issued_at",
        eb.case().when("c.replaced_by", "is not", null).then(eb.ref("c.state_changed_at")).end(),
      ).as("replaced_at")
    )
    .select(["c.name", "c.developer_id", "c.plans", "d.email_key as developer_email"])
);

/** Up to `limit` reports of access tokens behind a place, the newest first. */
export const leakedTokens = atMost((db, p: Behind, limit) =>
  leaksBehind(db, "access_token", p, limit)
    .leftJoin(
      "access_tokens as t",
      (join) => join.onRef("t.org_id", "=", "k.org_id").onRef("t.id", "=", "k.object_id"),
    )
    .leftJoin(
      "access_tokens as r",
      (join) => join.onRef("r.org_id", "=", "t.org_id").onRef("r.id", "=", "t.replaced_by"),
    )
    .leftJoin(
      "users as u",
      (join) => join.onRef("u.org_id", "=", "t.org_id").onRef("u.id", "=", "t.user_id"),
    )
    .select(["k.object_id as token_id", "t.expires_at", "t.revoked_at as state_changed_at"])
    .select(["r.date_created as replaced_at", "t.name", "t.user_id as person_id"])
    .select("u.name as person_name")
    .select((eb) =>
      eb.case().when("t.id", "is", null).then(sql<string | null>`null`)
        .when("t.revoked_at", "is", null).then(sql.lit("active")).else(sql.lit("revoked")).end()
        .as("state")
    )
);

type Behind = { org_id: string; sort: string; id: string };

/** Reports of one kind behind a place, with what each of them says. */
function leaksBehind(
  db: QueryBuilder,
  object: LeakRow["object"],
  p: Behind,
  limit: RawBuilder<number>,
) {
  return db.selectFrom("leaks as k")
    .select(["k.reported_at", "k.reported_by", "k.url", "k.dismissed_at"])
    .where("k.org_id", "=", p.org_id).where("k.object", "=", sql.lit(object))
    .where(sql<boolean>`(k.reported_at, k.object_id) < (${p.sort}, ${p.id})`)
    .orderBy("k.reported_at", "desc").orderBy("k.object_id", "desc").limit(limit);
}
