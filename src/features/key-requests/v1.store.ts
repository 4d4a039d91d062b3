import { type SelectQueryBuilder, sql } from "kysely";
import type { Place } from "../../kernel/cursor.ts";
import { countRow } from "../../storage/list-counts.ts";
import { statement } from "../../storage/statement.ts";
import { all, changed, lockOne, one } from "../../storage/statement-functions.ts";
import { finds } from "../../storage/table-statements.ts";
import type { Connection, Tx } from "../../storage/storage.ts";
import { variants } from "../../storage/variants.ts";
import type { ListedProof } from "../developers/email-proof.ts";
import { listOf, type RequestState } from "./key-request.ts";
import { type RequestRow, selectView, type WithRequest } from "./key-requests.store.ts";
import type { RevisedColumns } from "./revision.ts";

/** A key request as `/v1` shows it. */
export interface V1Row extends RequestRow, RevisedColumns, ListedProof {
  state: RequestState;
  by_user: string;
  issued_by: string | null;
  decided_by: string | null;
  /** The name of the person who decided, where that user is known. */
  decider: string | null;
  /** The message to the developer; see the table. */
  message: string | null;
  granted: string | null;
  decided_on: string | null;
  asked_end: string | null;
  policy: string | null;
  added_words: string | null;
  reminded_at: string | null;
  /** The assignee, with their name; null: none, or one who has left. */
  assignee: string | null;
  assignee_name: string | null;
  expires_at: string | null;
  /** The developer's proved address before, while the present one is not proved. */
  proof_previous: string | null;
}

/**
 * The walks that a list is put together from, each along an index of its own. `pending` come in two
 * parts, since the index of unapproved ones is there already.
 */
export type Walk =
  | "open"
  | "unapproved"
  | "waiting"
  | "issued"
  | "declined"
  | "plan"
  | "developer"
  | "assignee";

type WalkParams = { org_id: string; named: string; state: RequestState; sort: string; id: string };

/** The columns of a V1Row. */
export function selectV1<O>(query: SelectQueryBuilder<WithRequest, "r", O>) {
  return selectView(query)
    .leftJoin("users as u", (join) =>
      join.onRef("u.org_id", "=", "r.org_id")
        .on("u.id", "=", sql<string>`coalesce(r.decided_by, r.issued_by)`))
    .leftJoin(
      "users as a",
      (join) =>
        join.onRef("a.org_id", "=", "r.org_id").onRef("a.id", "=", "r.assignee")
          .on("a.deactivated_at", "is", null).on("r.state", "=", sql.lit("pending")),
    )
    .leftJoin(
      "developer_emails as e",
      (join) => join.onRef("e.org_id", "=", "r.org_id").onRef("e.id", "=", "r.by_user"),
    )
    .select(["e.state as proof_state", "e.address as proof_address"])
    .select(["e.changed_at as proof_changed_at", "e.previous as proof_previous"])
    .select(["r.by_user", "r.sent_developer", "r.issued_at", "r.issued_by"])
    .select(["r.decided_at", "r.decided_by", "r.decision_reason", "u.name as decider"])
    .select(["r.message", "r.granted", "r.offer", "r.decided_on", "r.asked_end"])
    .select(["r.policy", "r.added_words", "r.reminded_at", "r.expires_at"])
    .select(["a.id as assignee", "a.name as assignee_name"]);
}

/** Conditions on state as literals: a bound value could not be proved to match a partial index. */
function walked<O>(query: SelectQueryBuilder<WithRequest, "r", O>, walk: Walk, p: WalkParams) {
  const mine = query.where("r.org_id", "=", p.org_id);
  switch (walk) {
    case "open":
      return mine.where("r.state", "<>", sql.lit("declined"));
    case "unapproved":
      return mine.where("r.state", "<>", sql.lit("declined")).where("r.approved", "=", sql.lit(0));
    case "waiting":
      return mine.where("r.state", "=", sql.lit("pending")).where("r.approved", "=", sql.lit(1));
    case "issued":
    case "declined":
      return mine.where("r.state", "=", sql.lit(walk));
    case "plan":
      return mine.where("r.for_plan", "=", p.named).where("r.state", "=", p.state);
    case "developer":
      return mine.where("r.by_user", "=", p.named);
    case "assignee":
      // Literals as above; that there is one is said, since its index holds no others.
      return mine.where("r.assignee", "=", p.named).where("r.assignee", "is not", null)
        .where("r.state", "=", sql.lit("pending"));
  }
}

const walkSql = variants((walk: Walk, newestFirst: boolean, limit: number) =>
  statement<WalkParams>()((db, p) => {
    const direction = newestFirst ? "desc" : "asc";
    const behind = sql.raw(newestFirst ? "<" : ">");
    return selectV1(walked(db.selectFrom("key_requests as r"), walk, p))
      .where(sql<boolean>`(r.instant, r.id) ${behind} (${p.sort}, ${p.id})`)
      .orderBy("r.instant", direction).orderBy("r.id", direction).limit(sql.lit(limit));
  })
);

/**
 * Up to `limit` requests behind `place` along one walk; `named` is its plan, developer or assignee.
 */
export function walkRequests(
  db: Connection,
  org_id: string,
  source: { walk: Walk; named?: string; state?: RequestState },
  page: { newestFirst: boolean; place: Place; limit: number },
): Promise<V1Row[]> {
  const { walk, named = "", state = "pending" } = source;
  const params = { org_id, named, state, ...page.place };
  return db.rows(walkSql(walk, page.newestFirst, page.limit), params);
}

/** A request in any state, or undefined. */
export const findV1 = one((db, p: { org_id: string; id: string }) =>
  selectV1(db.selectFrom("key_requests as r"))
    .where("r.org_id", "=", p.org_id).where("r.id", "=", p.id)
);

/** How many ids one statement takes; longer lists are given in parts. */
const IDS = 25;

const ofIdsSql = statement<Record<string, string>>()((db, p) =>
  selectV1(db.selectFrom("key_requests as r")).where("r.org_id", "=", p.org_id as string)
    // as: findV1Of gives every one of them.
    .where("r.id", "in", Array.from({ length: IDS }, (_, i) => p[`id${i}`] as string))
);

/** The requests with these ids, in no order; ids that name none are left out. */
export async function findV1Of(
  db: Connection,
  org_id: string,
  ids: readonly string[],
): Promise<V1Row[]> {
  const rows: V1Row[] = [];
  for (let start = 0; start < ids.length; start += IDS) {
    const params: Record<string, string> = { org_id };
    for (let i = 0; i < IDS; i++) params[`id${i}`] = ids[start + i] ?? "";
    rows.push(...await db.rows(ofIdsSql, params));
  }
  return rows;
}

/** A developer's request in few words. */
export interface BriefRow {
  id: string;
  state: RequestState;
  for_plan: string;
  tail: string;
}

/** The most other requests of a developer that are listed with one. */
export const BRIEFS = 20;

/** A developer's newest requests: up to two more than BRIEFS. */
export const findBriefs = all((db, p: { org_id: string; by_user: string }) =>
  db.selectFrom("key_requests").select(["id", "state", "for_plan", "tail"])
    .where("org_id", "=", p.org_id).where("by_user", "=", p.by_user)
    // Theirs but this one, and one more to see whether there are more.
    .orderBy("instant", "desc").orderBy("id", "desc").limit(sql.lit(BRIEFS + 2))
);

/** Requests whose heads one statement reads. */
export const HEADS = 101;

/** The terms of a developer's requests, behind a position, the newest first: up to HEADS. */
export const findHeads = all((db, p: { org_id: string; by_user: string } & Place) =>
  db.selectFrom("key_requests").select(["id", "instant", "head"])
    .where("org_id", "=", p.org_id).where("by_user", "=", p.by_user)
    .where(sql<boolean>`(instant, id) < (${p.sort}, ${p.id})`)
    .orderBy("instant", "desc").orderBy("id", "desc").limit(sql.lit(HEADS))
);

/** A request as a decision sees it, held until the transaction ends; or undefined. */
export const lockForDecision = lockOne(finds("key_requests", {
  columns: [
    "state",
    "approved",
    "instant",
    "head",
    "tail",
    "secrets",
    "sent_developer",
    "sent_entry",
    "sent_catalogues",
    "issued_at",
    "issued_by",
    "decided_at",
    "decided_by",
    "decision_reason",
    "offer",
    "asked_end",
    "policy",
    "assignee",
  ],
}));

/** The row of a request, for a change of its state. */
interface DecidedPlace {
  org_id: string;
  id: string;
  approved: number;
  instant: string;
}

type Decision = { at: string; by: string; reason: string | null; decided_on: string };

const declineSql = statement<{ org_id: string; id: string } & Decision>()((db, p) =>
  db.updateTable("key_requests").set({
    state: sql.lit("declined"),
    decided_at: p.at,
    decided_by: p.by,
    decision_reason: p.reason,
    decided_on: p.decided_on,
    offer: null,
  }).where("org_id", "=", p.org_id).where("id", "=", p.id).where("state", "=", sql.lit("pending"))
);

/** Moves a pending request to declined: a compare-and-set. False: another decision came first. */
export async function markDeclined(
  tx: Tx,
  { org_id, id, approved, instant }: DecidedPlace,
  decision: Decision,
): Promise<boolean> {
  if (await tx.change(declineSql, { org_id, id, ...decision }) !== 1) return false;
  countRow(tx, { org_id, list: listOf("declined", approved), instant }, 1);
  countRow(tx, { org_id, list: listOf("pending", approved), instant }, -1);
  return true;
}

const reopenSql = statement<{ org_id: string; id: string }>()((db, p) =>
  db.updateTable("key_requests").set({
    state: sql.lit("pending"),
    decided_at: null,
    decided_by: null,
    decision_reason: null,
    decided_on: null,
    // The assignee may have left since.
    assignee: null,
  }).where("org_id", "=", p.org_id).where("id", "=", p.id).where("state", "=", sql.lit("declined"))
);

/** Moves a declined request back to pending, likewise. */
export async function markReopened(
  tx: Tx,
  { org_id, id, approved, instant }: DecidedPlace,
): Promise<boolean> {
  if (await tx.change(reopenSql, { org_id, id }) !== 1) return false;
  countRow(tx, { org_id, list: listOf("pending", approved), instant }, 1);
  countRow(tx, { org_id, list: listOf("declined", approved), instant }, -1);
  return true;
}

/**
 * Sets what is offered for a pending request; null: nothing. A compare-and-set: false where it is
 * decided.
 */
export const setOffer = changed((db, p: { org_id: string; id: string; offer: string | null }) =>
  db.updateTable("key_requests").set({ offer: p.offer })
    .where("org_id", "=", p.org_id).where("id", "=", p.id).where("state", "=", sql.lit("pending"))
);

/** Sets the words that were added to a pending request, likewise. */
export const setAddedWords = changed((
  db,
  p: { org_id: string; id: string; added_words: string },
) =>
  db.updateTable("key_requests").set({ added_words: p.added_words })
    .where("org_id", "=", p.org_id).where("id", "=", p.id).where("state", "=", sql.lit("pending"))
);

/** Says when approvers were reminded of a pending request, likewise. */
export const setReminded = changed((db, p: { org_id: string; id: string; at: string }) =>
  db.updateTable("key_requests").set({ reminded_at: p.at })
    .where("org_id", "=", p.org_id).where("id", "=", p.id).where("state", "=", sql.lit("pending"))
);

/** Says why a request was declined; null takes the reason away. False where it is not declined. */
export const setReason = changed((db, p: { org_id: string; id: string; reason: string | null }) =>
  db.updateTable("key_requests").set({ decision_reason: p.reason })
    .where("org_id", "=", p.org_id).where("id", "=", p.id).where("state", "=", sql.lit("declined"))
);
