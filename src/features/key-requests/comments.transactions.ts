import type { Actor } from "../../changes/audit.ts";
import { type IdempotentCall, once } from "../../changes/idempotent-answers.ts";
import { addToOutbox } from "../../changes/outbox.ts";
import { recordAlone, recordChange } from "../../changes/record-change.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { newId } from "../../kernel/ids.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { findPerson } from "../people/people.store.ts";
import {
  type CommentRow,
  countComments,
  emptyComment,
  findComment,
  insertComment,
} from "./comments.store.ts";
import { COMMENTED } from "./comment.ts";
import { findDecider, isOwn } from "./own-request.ts";
import { namesOfRequest } from "./request-names.store.ts";
import { teamAmong } from "./team.ts";
import { lockForDecision } from "./v1.store.ts";
import { requireWithin } from "./within-scope.ts";

/** Comments of one request, at the most. */
const MOST_COMMENTS = 500;

/**
 * Adds a comment to a request in any state, with its row in the audit log, which holds no words,
 * and the message for those whom it mentions. Throws `not_found`, `own_request`,
 * `too_many_comments`, and `invalid_input` for a mention of a person who is not of the team.
 */
export const addComment = defineTransaction(
  "key-requests.add-comment",
  async (
    tx,
    input: {
      actor: Actor;
      id: string;
      words: string;
      mentions: readonly string[];
      idempotency: IdempotentCall | null;
    },
  ): Promise<CommentRow> => {
    const { actor, id: request_id } = input;
    const { org_id } = actor;
    // Its id alone is kept for repeated calls: words that are removed are nowhere any more.
    const { id } = await once(
      tx,
      input.idempotency,
      () => add(tx, input),
      async () => void await lockForTeam(tx, actor, request_id),
    );
    return await made(tx, { org_id, request_id, id });
  },
);

async function add(
  tx: Tx,
  { actor, id: request_id, words, ...input }: {
    actor: Actor;
    id: string;
    words: string;
    mentions: readonly string[];
  },
): Promise<{ id: string }> {
  const { org_id, user_id, now } = actor;
  const row = await lockForTeam(tx, actor, request_id);
  const mentions = [...new Set(input.mentions)].filter((one) => one !== user_id);
  await requireTeam(tx, mentions, { org_id, id: request_id, ...row });
  if (await countComments(tx, { org_id, request_id }) >= MOST_COMMENTS) {
    throw new Failure("too_many_comments");
  }
  const id = newId(now);
  await insertComment(tx, {
    org_id,
    request_id,
    id,
    author: user_id,
    at: toTimestamp(now),
    words,
    mentions: JSON.stringify(mentions),
    removed_at: null,
    removed_by: null,
  });
  await recordAlone(tx, actor, {
    action: COMMENTED,
    object_id: request_id,
    detail: { comment: id, mentions },
    names: await namesOfRequest(tx, org_id, row),
  });
  await addToOutbox(tx, actor, {
    topic: COMMENTED,
    object_id: request_id,
    detail: { comment: id },
  });
  return { id };
}

/**
 * Takes the words of a comment away, once. `mayAny`: whether the actor may remove others'. Throws
 * `not_found`, `own_request` and `access_denied`.
 */
export const removeComment = defineTransaction(
  "key-requests.remove-comment",
  async (
    tx,
    input: { actor: Actor; id: string; comment_id: string; mayAny: boolean },
  ): Promise<CommentRow> => {
    const { actor, id: request_id, comment_id: id, mayAny } = input;
    const { org_id, user_id, now } = actor;
    const row = await lockForTeam(tx, actor, request_id);
    const place = { org_id, request_id, id };
    const before = await findComment(tx, place);
    if (!before) throw new Failure("not_found");
    if (before.author !== user_id && !mayAny) throw new Failure("access_denied");
    const removed = { removed_at: toTimestamp(now), removed_by: user_id };
    if (!await emptyComment(tx, { ...place, ...removed })) return before;
    await recordChange(tx, actor, {
      action: "key_request.comment_removed",
      object_id: request_id,
      detail: { comment: id, author: before.author },
      names: await namesOfRequest(tx, org_id, row),
    });
    return await made(tx, place);
  },
);

/** A request, held, where it is within the actor's scope and not their own. */
async function lockForTeam(tx: Tx, actor: Actor, id: string) {
  const { org_id, user_id } = actor;
  const row = await lockForDecision(tx, { org_id, id });
  if (!row) throw new Failure("not_found");
  await requireWithin(tx, actor, row);
  const decider = await findDecider(tx, { org_id, id, user_id });
  if (decider && isOwn(decider)) throw new Failure("own_request");
  return row;
}

async function requireTeam(
  tx: Tx,
  mentions: readonly string[],
  of: { org_id: string; id: string; head: string; policy: string | null },
): Promise<void> {
  for (const [i, id] of mentions.entries()) {
    const person = await findPerson(tx, { org_id: of.org_id, id });
    if (person && (await teamAmong(tx, of, [person])).length === 1) continue;
    const message = `mentions[${i}]: no person of this key request's team has the id ${id}`;
    throw new Failure("invalid_input", { message, details: [message] });
  }
}

async function made(
  tx: Tx,
  place: { org_id: string; request_id: string; id: string },
): Promise<CommentRow> {
  const row = await findComment(tx, place);
  if (!row) throw new Error("it was written above");
  return row;
}
