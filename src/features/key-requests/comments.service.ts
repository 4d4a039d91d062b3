import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf, type Idempotency, idempotentCall, may } from "../../calls/principal.ts";
import type { Page } from "../../contract/paging.ts";
import { Failure } from "../../kernel/failure.ts";
import { source, walk } from "../../kernel/walk.ts";
import { findUserName } from "../people/people.store.ts";
import { coverageOfCaller } from "../plans/coverage.ts";
import { mentionsOf } from "./comment.ts";
import type * as contract from "./comments.contract.ts";
import { type CommentRow, commentsAfter } from "./comments.store.ts";
import * as transactions from "./comments.transactions.ts";
import { findDecider, isOwn } from "./own-request.ts";
import { findV1 } from "./v1.store.ts";
import { isWithin } from "./within-scope.ts";

type Comment = z.output<typeof contract.comment>;
type Sent = z.output<typeof contract.addComment.body & z.ZodType>;

/** What was said about a request, the oldest first. Throws `not_found` and `own_request`. */
export async function list(
  ctx: RequestContext,
  id: string,
  page: z.output<typeof contract.listComments.query & z.ZodType>,
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
  return { data: await Promise.all(rows.map((one) => show(ctx, one))), next_cursor };
}

/** Says something. Throws what addComment throws. */
export async function add(
  ctx: RequestContext,
  id: string,
  { words, mentions = [] }: Sent,
  idempotency: Idempotency,
): Promise<Comment> {
  const { storage, principal, clock } = ctx;
  const actor = actorOf(principal, clock.now());
  const call = idempotentCall(principal, actor.now, idempotency);
  const input = { actor, id, words, mentions, idempotency: call };
  return await show(ctx, await storage.commit(transactions.addComment, input));
}

/** Takes the words of one away. Throws what removeComment throws. */
export async function remove(
  ctx: RequestContext,
  id: string,
  comment_id: string,
): Promise<Comment> {
  const { storage, principal, clock } = ctx;
  const actor = actorOf(principal, clock.now());
  const input = { actor, id, comment_id, mayAny: may(principal, "admin") };
  return await show(ctx, await storage.commit(transactions.removeComment, input));
}

async function show(
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
