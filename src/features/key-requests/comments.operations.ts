import { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf, idempotentCall, may } from "../../calls/principal.ts";
import { bodyErrors } from "../../contract/endpoint.ts";
import { type Page, pageOf } from "../../contract/paging.ts";
import { nextPageLink, nullable, pageQuery } from "../../contract/v1.ts";
import { id, text, timestamp } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import { withNextPage } from "../../http/routes.ts";
import { Failure } from "../../kernel/failure.ts";
import { source, walk } from "../../kernel/walk.ts";
import { findUserName } from "../people/people.store.ts";
import type { CatalogueContext } from "../plans/catalogue/live-catalogue.ts";
import { coverageOfCaller } from "../plans/coverage.ts";
import { mentionsOf } from "./comment.ts";
import { type CommentRow, commentsAfter } from "./comments.store.ts";
import * as transactions from "./comments.transactions.ts";
import { findDecider, isOwn } from "./own-request.ts";
import { findV1 } from "./v1.store.ts";
import { isWithin } from "./within-scope.ts";

const tag = "Key requests";

/** People whom one comment mentions, at the most. */
const MOST_MENTIONS = 20;

const named = z.strictObject({ id: text, name: text });

/** A comment of the team. */
export const comment = z.strictObject({
  id,
  at: timestamp,
  author: named,
  words: nullable(text).meta({ description: "Null: it was removed." }),
  mentions: z.array(named),
  removed_at: nullable(timestamp),
  removed_by_name: nullable(text),
  may_remove: z.boolean().meta({ description: "Whether the caller may remove it." }),
}).meta({ id: "KeyRequestComment" });

const listCommentsQuery = z.object(pageQuery);

/** Lists comments, the oldest first. */
export const listComments = operation({
  id: "listComments",
  method: "GET",
  path: "/v1/key-requests/{id}/comments",
  tag,
  summary: "Read what people of the team said about a key request, the oldest first",
  description:
    "By cursor. Never shown to its developer, who is refused by `own_request` if they approve others' requests, nor sent to channels.",
  permission: ["approve", "admin:read"],
  withinScope: true,
  query: listCommentsQuery,
  answerHeaders: nextPageLink,
  response: pageOf(comment).meta({ id: "KeyRequestCommentList" }),
  errors: ["invalid_input", "not_found", "own_request"],
  async serve(ctx: CatalogueContext, call) {
    const page = await list(ctx, call.params.id, call.query);
    return withNextPage(call, page, page.next_cursor);
  },
});

const commentInput = z.object({
  words: z.string().trim().min(1).max(2000),
  mentions: z.array(id).max(MOST_MENTIONS).optional().meta({
    description: "The ids of people of its team who are to read it.",
  }),
}).meta({ id: "CommentInput" });

/** Says something. */
export const addComment = operation({
  id: "addComment",
  method: "POST",
  path: "/v1/key-requests/{id}/comments",
  tag,
  summary: "Say something about a key request to the others who may decide it",
  description:
    "For the team alone, also once it is decided, 500 times at the most. It can't be changed; its author, or an administrator, may remove it. Mentioned people are mailed a link, without the words.",
  permission: ["approve"],
  withinScope: true,
  body: commentInput,
  idempotent: true,
  response: comment,
  errors: [...bodyErrors, "not_found", "own_request", "too_many_comments"],
  example: { words: "Their team lead asked for this by phone." },
  async serve(
    ctx: CatalogueContext,
    { params: { id }, body: { words, mentions = [] }, idempotency },
  ) {
    const { storage, principal, clock } = ctx;
    const actor = actorOf(principal, clock.now());
    const call = idempotentCall(principal, actor.now, idempotency);
    const input = { actor, id, words, mentions, idempotency: call };
    return await serialize(ctx, await storage.commit(transactions.addComment, input));
  },
});

/** Takes words away. */
export const removeComment = operation({
  id: "removeComment",
  method: "DELETE",
  path: "/v1/key-requests/{id}/comments/{comment_id}",
  tag,
  summary: "Remove the words of a comment; its author and time stay",
  description: "By its author, or with `admin`. A removed one stays removed.",
  permission: ["approve", "admin"],
  withinScope: true,
  response: comment,
  errors: ["not_found", "access_denied", "own_request"],
  async serve(ctx: CatalogueContext, { params: { id, comment_id } }) {
    const { storage, principal, clock } = ctx;
    const actor = actorOf(principal, clock.now());
    const input = { actor, id, comment_id, mayAny: may(principal, "admin") };
    return await serialize(ctx, await storage.commit(transactions.removeComment, input));
  },
});

type Comment = z.output<typeof comment>;

type Sent = z.output<typeof commentInput>;

/** The comments on a request, the oldest first. Throws `not_found` and `own_request`. */
async function list(
  ctx: RequestContext,
  id: string,
  page: z.output<typeof listCommentsQuery>,
): Promise<Page<Comment>> {
  const { storage: { reader }, principal } = ctx;
  const { org_id, user_id } = principal;
  const row = await findV1(reader, { org_id, id });
  const coverage = await coverageOfCaller(reader, principal);
  if (!row || (coverage && !isWithin(coverage, row))) throw new Failure("not_found");
  const caller = await findDecider(reader, { org_id, id, user_id });
  if (caller && isOwn(caller)) throw new Failure("own_request");
  const { rows, next_cursor } = await walk<CommentRow>({
    order: `comments ${id}`,
    first: { sort: "", id: "" },
    ascending: true,
    sources: [source(
      (place, limit) => commentsAfter(reader, { org_id, request_id: id, behind: place.id }, limit),
      (one) => ({ sort: "", id: one.id }),
    )],
  }, page);
  return { data: await Promise.all(rows.map((one) => serialize(ctx, one))), next_cursor };
}

async function serialize(
  { storage: { reader }, principal }: RequestContext,
  row: CommentRow,
): Promise<Comment> {
  const { org_id, user_id } = principal;
  const named = async (id: string) => ({
    id,
    name: await findUserName(reader, { org_id, id }) ?? id,
  });
  const isThere = row.removed_at === null;
  return {
    id: row.id,
    at: row.at,
    author: { id: row.author, name: row.author_name ?? row.author },
    words: row.words,
    mentions: await Promise.all(mentionsOf(row).map(named)),
    removed_at: row.removed_at,
    removed_by_name: row.remover_name ?? row.removed_by,
    may_remove: isThere && (row.author === user_id || may(principal, "admin")),
  };
}
