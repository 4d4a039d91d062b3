import { type RawBuilder, type SelectQueryBuilder, sql } from "kysely";
import {
  behind,
  countable,
  countRow,
  listCounter,
  type Place,
  type Position,
} from "../../storage/list-counts.ts";
import { byWindow, cutWindow, LEAST_WALKED, type Window } from "../../storage/list-window.ts";
import type { Database } from "../../storage/schema.ts";
import { type Dialect, type QueryBuilder, statement } from "../../storage/statement.ts";
import { changed, held, lockOne, one } from "../../storage/statement-functions.ts";
import { finds } from "../../storage/table-statements.ts";
import type { Connection, Tx } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";
import { forgetComments } from "./comments.store.ts";
import type { KeyRequestColumns } from "./draft-key-request.ts";
import { listOf, type RequestState } from "./key-request.ts";
import type { RevisedColumns } from "./revision.ts";
import { noteForSearch } from "./search.store.ts";

/** A key request as it is stored, without who issued it. */
export interface KeyRequestRow extends KeyRequestColumns {
  state: RequestState;
  secrets: string | null;
  /** The later expiry that was requested; see the table. */
  asked_end: string | null;
  /** The approval policy, as stored; see the table. */
  policy: string | null;
  expires_at: string | null;
  due_at: string | null;
}

/** The columns of one answer about a key request, and no more: lists are read by the million. */
export interface RequestRow {
  id: string;
  instant: string;
  state: RequestState;
  approved: number;
  by_user: string;
  for_plan: string;
  head: string;
  tail: string;
  secrets: string | null;
  sent_entry: string | null;
  sent_catalogues: string;
  /** The live developer's document where `developer_known` is 1, else the sent one, if any. */
  developer: string | null;
  developer_known: number;
  developer_secrets: string | null;
  catalogue_revision: number | null;
}

/** The lists that the interface knows, each with the counter of its rows. */
export const listViews = {
  all: listCounter([listOf("pending", 0), listOf("pending", 1), listOf("issued", 1)]),
  approved: listCounter([listOf("pending", 1), listOf("issued", 1)]),
  unapproved: listCounter([listOf("pending", 0)]),
  declined: listCounter([listOf("declined", 0), listOf("declined", 1)]),
} as const;

/** The name of one of these lists. */
export type ListView = keyof typeof listViews;

/** A request in any state with what is shown beside it and makes its revision, or undefined. */
export const findRequestRow = one((db, p: { org_id: string; id: string }) =>
  selectRevised(db).where("r.org_id", "=", p.org_id).where("r.id", "=", p.id)
);

// As an array the server expects few ids, whatever they are, and goes by the index for each.
const findAllSql = statement<{ org_id: string; ids: string }>()((db, p) =>
  selectRevised(db).where("r.org_id", "=", p.org_id)
    .where(sql<boolean>`r.id = any(${p.ids}::text[])`)
);

function selectRevised(db: QueryBuilder) {
  return selectView(db.selectFrom("key_requests as r"))
    .select(["r.sent_developer", "r.issued_at", "r.decided_at", "r.decision_reason", "r.offer"]);
}

/** Finds several, in any order, on PostgreSQL alone. No id has a control character. */
export function findRequestRows(
  db: Connection,
  org_id: string,
  ids: readonly string[],
): Promise<(RequestRow & RevisedColumns)[]> {
  const quoted = ids.map((id) => JSON.stringify(id));
  return db.rows(findAllSql, { org_id, ids: `{${quoted.join(",")}}` });
}

type PageParams = { org_id: string; before: string; skip: number };
type NextParams = { org_id: string; instant: string; id: string };

// The rows to skip are walked in the index alone; what is shown beside a row is joined to the page
// only.
const pageSql = variants((view: ListView) =>
  byWindow((window) =>
    statement<PageParams>()((db, p, dialect) => {
      const place = { org_id: p.org_id, before: p.before, skip: p.skip };
      const page = keysOfPage({ db, dialect }, view, { ...window, ...place });
      return selectView(
        db.selectFrom(page.as("page")).innerJoin(
          "key_requests as r",
          (join) => join.onRef("r.org_id", "=", "page.org_id").onRef("r.id", "=", "page.id"),
        ),
      );
    })
  )
);

// The page of a statement that finds the position itself.
const pageAtSql = variants((view: ListView, limit: number) =>
  statement<{ org_id: string; offset: number }>()((db, p, dialect) => {
    const place = sql<Place>`(${listViews[view].newest(p.org_id, p.offset)})`.as<"place">("place");
    const page = keysOfPage({ db, dialect }, view, {
      limit,
      walked: LEAST_WALKED,
      org_id: p.org_id,
      before: behind("place.bucket"),
      skip: sql<number>`place.skip`,
    });
    return selectView(
      db.selectFrom(place).innerJoinLateral(page.as("page"), (join) => join.onTrue()).innerJoin(
        "key_requests as r",
        (join) => join.onRef("r.org_id", "=", "page.org_id").onRef("r.id", "=", "page.id"),
      ),
    ).select([sql<number>`place.skip`.as("skip"), sql<number>`place.total`.as("total")]);
  })
);

/** Of the rows of a page what the list's index holds. */
function keysOfPage(
  { db, dialect }: { db: QueryBuilder; dialect: Dialect },
  view: ListView,
  { org_id, before, ...window }: Window & {
    org_id: string;
    before: string | RawBuilder<string>;
    skip: number | RawBuilder<number>;
  },
) {
  const newest = inView(db.selectFrom("key_requests as r"), view)
    .select(["r.org_id", "r.instant", "r.id"])
    .where("r.org_id", "=", org_id).where("r.instant", "<", before)
    .orderBy("r.instant", "desc").orderBy("r.id", "desc");
  return cutWindow({ db, dialect }, newest, ["instant", "id"], window);
}

const nextSql = variants((view: ListView, limit: number) =>
  statement<NextParams>()((db, p) =>
    selectView(inView(db.selectFrom("key_requests as r"), view)).where("r.org_id", "=", p.org_id)
      .where(sql<boolean>`(r.instant, r.id) < (${p.instant}, ${p.id})`)
      .orderBy("r.instant", "desc").orderBy("r.id", "desc").limit(sql.lit(limit))
  )
);

const firstSql = variants((view: ListView, limit: number) =>
  statement<{ org_id: string }>()((db, p) =>
    selectView(inView(db.selectFrom("key_requests as r"), view)).where("r.org_id", "=", p.org_id)
      .select(listViews[view].total(p.org_id).as("total"))
      .where("r.instant", "<", sql.lit(NEWEST.instant))
      .orderBy("r.instant", "desc").orderBy("r.id", "desc").limit(sql.lit(limit))
  )
);

/** The newest `limit` requests of a list, and how many it has; one round trip. */
export async function firstPage(
  db: Connection,
  org_id: string,
  view: ListView,
  limit: number,
): Promise<{ rows: RequestRow[]; total: number }> {
  const rows = await db.rows(firstSql(view, limit), { org_id });
  // A sum comes back as text from one of the engines.
  return { rows, total: Number(rows[0]?.total ?? 0) };
}

/**
 * Up to `limit` requests of a list behind `offset` others, newest first, and how many it has; one
 * round trip, on PostgreSQL alone. Undefined where there are none, or too many of one minute for
 * that.
 */
export async function pageAt(
  db: Connection,
  org_id: string,
  view: ListView,
  offset: number,
  limit: number,
): Promise<{ rows: RequestRow[]; total: number } | undefined> {
  const rows = await db.rows(pageAtSql(view, limit), { org_id, offset: countable(offset) });
  const [first] = rows;
  if (!first || first.skip + limit > LEAST_WALKED) return undefined;
  return { rows: newestFirst(rows), total: first.total };
}

/** Up to `limit` requests of a list from a position on, newest first. */
export async function pageOfRequests(
  db: Connection,
  org_id: string,
  view: ListView,
  position: Position,
  limit: number,
): Promise<RequestRow[]> {
  return newestFirst(await db.rows(pageSql(view)(limit, position.skip), { org_id, ...position }));
}

/** A join promises no order, and one page is quickly sorted. */
function newestFirst<Row extends RequestRow>(rows: Row[]): Row[] {
  return rows.sort((a, b) => isNewer(a, b) ? -1 : 1);
}

function isNewer(a: RequestRow, b: RequestRow): boolean {
  return a.instant === b.instant ? a.id > b.id : a.instant > b.instant;
}

/** Before every request there is: the place from which requestsAfter gives the newest. */
export const NEWEST = { instant: "~", id: "" } as const;

/** Up to `limit` requests of a list that come after this one, newest first. */
export function requestsAfter(
  db: Connection,
  org_id: string,
  view: ListView,
  last: { instant: string; id: string },
  limit: number,
): Promise<RequestRow[]> {
  return db.rows(nextSql(view, limit), { org_id, instant: last.instant, id: last.id });
}

/** A request as a change sees it, held until the transaction ends; or undefined. */
export const lockRequest = lockOne(
  finds("key_requests", {
    columns: [
      "state",
      "approved",
      "instant",
      "for_plan",
      "head",
      "tail",
      "offer",
      "asked_end",
      "policy",
      "added_words",
      "reminded_at",
    ],
  }),
);

/** The catalogue entries that came with a request, as they are stored; or undefined. */
export const findSentEntries = one((db, p: { org_id: string; id: string }) =>
  db.selectFrom("key_requests").select(["for_plan", "sent_entry", "sent_catalogues"])
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

type WriteParams = { [K in keyof KeyRequestRow]: KeyRequestRow[K] };

const insertSql = statement<WriteParams>()((db, p) =>
  db.insertInto("key_requests").values({ ...written(p), org_id: p.org_id, id: p.id })
);

/** Adds a request and counts it. */
export async function insertRequest(tx: Tx, row: KeyRequestRow): Promise<void> {
  await tx.send(insertSql, { ...row });
  await noteForSearch(tx, row.org_id, row.id);
  countRow(tx, { ...row, list: listOf(row.state, row.approved) }, 1);
}

const replaceSql = statement<WriteParams>()((db, p) =>
  db.updateTable("key_requests").set(written(p))
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Replaces a request that `before` describes. */
export async function replaceRequest(
  tx: Tx,
  row: KeyRequestRow,
  before: { state: KeyRequestRow["state"]; approved: number; instant: string },
): Promise<void> {
  const list = listOf(row.state, row.approved);
  const listBefore = listOf(before.state, before.approved);
  await tx.send(replaceSql, { ...row });
  await noteForSearch(tx, row.org_id, row.id);
  if (list === listBefore && row.instant === before.instant) return;
  countRow(tx, { org_id: row.org_id, list: listBefore, instant: before.instant }, -1);
  countRow(tx, { org_id: row.org_id, list, instant: row.instant }, 1);
}

/** The data of an approval. */
interface Issued {
  at: string;
  by: string;
  reason: string | null;
  /** To the developer; null: nothing. */
  message: string | null;
  /** JSON text of GrantedTerms; null: what was asked. */
  granted: string | null;
  /** As decidedOn gives it. */
  decided_on: string;
}

const markIssuedSql = statement<{ org_id: string; id: string } & Issued>()((db, p) =>
  db.updateTable("key_requests")
    .set({
      state: sql.lit("issued"),
      approved: sql.lit(1),
      issued_at: p.at,
      issued_by: p.by,
      decision_reason: p.reason,
      message: p.message,
      granted: p.granted,
      offer: null,
      decided_on: p.decided_on,
    })
    .where("org_id", "=", p.org_id).where("id", "=", p.id).where("state", "=", sql.lit("pending"))
);

/** Moves a pending request to issued: a compare-and-set. False when another approval came first. */
export async function markIssued(
  tx: Tx,
  row: { org_id: string; id: string; approved: number; instant: string },
  issued: Issued,
): Promise<boolean> {
  const { org_id, id, instant } = row;
  if (await tx.change(markIssuedSql, { org_id, id, ...issued }) !== 1) return false;
  countRow(tx, { org_id, list: listOf("issued", 1), instant }, 1);
  countRow(tx, { org_id, list: listOf("pending", row.approved), instant }, -1);
  return true;
}

const lockSql = statement<{ org_id: string; id: string }>()(
  held((db, p) =>
    db.selectFrom("key_requests").select(["state", "approved", "instant"])
      .where("org_id", "=", p.org_id).where("id", "=", p.id)
  ),
);

const removeSql = statement<{ org_id: string; id: string }>()((db, p) =>
  db.deleteFrom("key_requests").where("org_id", "=", p.org_id).where("id", "=", p.id)
);

/** Deletes a request in any state. False where there is none. */
export async function removeRequest(tx: Tx, org_id: string, id: string): Promise<boolean> {
  const removed = await tx.row(lockSql, { org_id, id });
  if (!removed) return false;
  await tx.send(removeSql, { org_id, id });
  await forgetComments(tx, { org_id, request_id: id });
  await noteForSearch(tx, org_id, id);
  const { state, approved, instant } = removed;
  countRow(tx, { org_id, list: listOf(state, approved), instant }, -1);
  return true;
}

/**
 * The shown columns of a query's requests, with the developer and the catalogue's revision joined
 * to each.
 */
export function selectView<O>(query: SelectQueryBuilder<WithRequest, "r", O>) {
  return query
    .leftJoin(
      "developers as d",
      (join) => join.onRef("d.org_id", "=", "r.org_id").onRef("d.id", "=", "r.by_user"),
    )
    .leftJoin("catalogues as c", "c.org_id", "r.org_id")
    .select(["r.id", "r.instant", "r.state", "r.approved", "r.by_user", "r.for_plan"])
    .select(["r.head", "r.tail"])
    .select(["r.secrets", "r.sent_entry", "r.sent_catalogues", "d.secrets as developer_secrets"])
    .select((eb) => [
      eb.fn.coalesce("d.document", "r.sent_developer").as("developer"),
      eb.case().when("d.id", "is", null).then(sql.lit(0)).else(sql.lit(1)).end()
        .as("developer_known"),
    ])
    .select("c.revision as catalogue_revision");
}

/** Conditions as literals: a bound value could not be proved to match a partial index. */
function inView<O>(query: SelectQueryBuilder<WithRequest, "r", O>, view: ListView) {
  const declined = view === "declined" ? "=" : "<>";
  const listed = query.where("r.state", declined, sql.lit("declined"));
  if (view !== "approved" && view !== "unapproved") return listed;
  return listed.where("r.approved", "=", sql.lit(view === "approved" ? 1 : 0));
}

/** The tables of a query that calls its request `r`. */
export type WithRequest = Database & { r: Database["key_requests"] };

/** The columns that creating and replacing both write. */
function written(p: WriteParams) {
  return {
    state: p.state,
    approved: p.approved,
    by_user: p.by_user,
    instant: p.instant,
    for_plan: p.for_plan,
    head: p.head,
    tail: p.tail,
    sent_developer: p.sent_developer,
    sent_entry: p.sent_entry,
    sent_catalogues: p.sent_catalogues,
    secrets: p.secrets,
    // The offer was for the earlier request.
    offer: null,
    asked_end: p.asked_end,
    policy: p.policy,
    expires_at: p.expires_at,
    due_at: p.due_at,
  };
}

/** Says to whom a pending request is assigned; null: to no one. False where it is decided. */
export const setAssignee = changed(
  (db, p: { org_id: string; id: string; assignee: string | null }) =>
    db.updateTable("key_requests").set({ assignee: p.assignee })
      .where("org_id", "=", p.org_id).where("id", "=", p.id).where(
        "state",
        "=",
        sql.lit("pending"),
      ),
);
