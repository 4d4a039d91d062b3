import type { LeakAction } from "../../contract/leak-actions.ts";
import { rowOf } from "../../storage/rows.ts";
import { atMost, change, one, send, value } from "../../storage/statement-functions.ts";
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

const COLUMNS = [
  "hash",
  "name_hash",
  "secret_hash",
  "at",
  "reported_by",
  "url",
  "request_id",
  "caller_request_id",
  "client_address",
] as const;

/** Keeps a report until it is worked off; one that waits with the same text stands for both. */
export const addReport = send((db, p: { [K in keyof LeakReport]: string }) =>
  db.insertInto("leak_reports").values(rowOf("leak_reports", p)).onConflict((conflict) =>
    conflict.column("hash").doNothing()
  )
);

/** Up to `limit` reports that wait, by their hash behind `behind`. */
export const reportsBehind = atMost((db, p: { behind: string }, limit) =>
  db.selectFrom("leak_reports").select(COLUMNS).where("hash", ">", p.behind)
    .orderBy("hash").limit(limit)
);

/** Takes a report away; undefined where another node has done so. */
export const takeReport = one((db, p: { hash: string }) =>
  db.deleteFrom("leak_reports").where("hash", "=", p.hash).returning(COLUMNS)
);

/** What has leaked, and the strictest that was wanted about it so far. */
export interface LeakRow {
  org_id: string;
  object: "credential" | "access_token";
  object_id: string;
  action: LeakAction;
  reported_at: string;
  reported_by: string;
  url: string;
}

type Place = Pick<LeakRow, "org_id" | "object" | "object_id">;

/** What was wanted about something that has leaked already, or undefined. */
export const findWanted = value((db, p: Place) =>
  db.selectFrom("leaks").select("action").where("org_id", "=", p.org_id)
    .where("object", "=", p.object).where("object_id", "=", p.object_id)
);

/** Marks something as leaked. A mark that is there keeps its first report, and takes the action. */
export const putLeak = change((db, p: LeakRow) =>
  db.insertInto("leaks").values(rowOf("leaks", p)).onConflict((conflict) =>
    conflict.columns(["org_id", "object", "object_id"]).doUpdateSet({ action: p.action })
  )
);
