import { sql } from "kysely";
import type { StoredRow } from "../../storage/schema.ts";
import { atMost, change, changed, numberOf, one, send } from "../../storage/statement-functions.ts";
import { inserts, removes } from "../../storage/table-statements.ts";
import type { QueryBuilder } from "../../storage/statement.ts";

/** A comment as it is stored. */
type StoredComment = StoredRow<"request_comments">;

type OfRequest = { org_id: string; request_id: string };

/** Adds one. */
export const insertComment = change(inserts("request_comments"));

/** How many there are of a request. */
export const countComments = numberOf((db, p: OfRequest) =>
  db.selectFrom("request_comments").select(sql<number>`count(*)`.as("n"))
    .where("org_id", "=", p.org_id).where("request_id", "=", p.request_id)
);

function selectNamed(db: QueryBuilder) {
  return db.selectFrom("request_comments as c")
    .leftJoin(
      "users as a",
      (join) => join.onRef("a.org_id", "=", "c.org_id").onRef("a.id", "=", "c.author"),
    )
    .leftJoin(
      "users as r",
      (join) => join.onRef("r.org_id", "=", "c.org_id").onRef("r.id", "=", "c.removed_by"),
    )
    .select(["c.id", "c.author", "c.at", "c.words", "c.mentions", "c.removed_at", "c.removed_by"])
    .select(["a.name as author_name", "r.name as remover_name"]);
}

/** One comment with its people's names, or undefined. */
export const findComment = one((db, p: OfRequest & { id: string }) =>
  selectNamed(db).where("c.org_id", "=", p.org_id).where("c.request_id", "=", p.request_id)
    .where("c.id", "=", p.id)
);

export type CommentRow = NonNullable<Awaited<ReturnType<typeof findComment>>>;

/** Up to `limit` of a request behind this one, the oldest first. */
export const commentsAfter = atMost((db, p: OfRequest & { behind: string }, limit) =>
  selectNamed(db).where("c.org_id", "=", p.org_id).where("c.request_id", "=", p.request_id)
    .where("c.id", ">", p.behind).orderBy("c.id").limit(limit)
);

/** Takes the words of one away. False where that was done, or there is none. */
export const emptyComment = changed((
  db,
  p: OfRequest & { id: string; removed_at: string; removed_by: string },
) =>
  db.updateTable("request_comments")
    .set({ words: null, removed_at: p.removed_at, removed_by: p.removed_by })
    .where("org_id", "=", p.org_id).where("request_id", "=", p.request_id).where("id", "=", p.id)
    .where("removed_at", "is", null)
);

/** Removes all of a request that is deleted. */
export const forgetComments = send(removes("request_comments", "org_id", "request_id"));
