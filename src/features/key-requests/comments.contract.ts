import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { pageOf } from "../../contract/paging.ts";
import { nextPageLink, nullable, pageQuery } from "../../contract/v1.ts";
import { id, text, timestamp } from "../../contract/values.ts";

const tag = "Key requests (native)";

/** People whom one comment mentions, at the most. */
const MOST_MENTIONS = 20;

const named = z.strictObject({ id: text, name: text });

/** What somebody of the team said. */
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

/** What was said, the oldest first. */
export const listComments = defineEndpoint({
  id: "listComments",
  method: "GET",
  path: "/v1/key-requests/{id}/comments",
  tag,
  summary: "Read what people of the team said about a key request, the oldest first",
  description:
    "By cursor. Never shown to its developer, who is refused by `own_request` where they approve others' requests, nor told to targets.",
  permission: ["approve", "admin:read"],
  withinScope: true,
  query: z.object(pageQuery),
  answerHeaders: nextPageLink,
  response: pageOf(comment).meta({ id: "KeyRequestCommentList" }),
  errors: ["invalid_input", "not_found", "own_request"],
});

/** Says something. */
export const addComment = defineEndpoint({
  id: "addComment",
  method: "POST",
  path: "/v1/key-requests/{id}/comments",
  tag,
  summary: "Say something about a key request to the others who may decide it",
  description:
    "For the team alone, also once it is decided, 500 times at the most. It can't be changed; whoever said it, or an administrator, may remove it. Who is mentioned is mailed a link, without the words.",
  permission: ["approve"],
  withinScope: true,
  body: z.object({
    words: z.string().trim().min(1).max(2000),
    mentions: z.array(id).max(MOST_MENTIONS).optional().meta({
      description: "The ids of people of its team who are to read it.",
    }),
  }).meta({ id: "CommentInput" }),
  idempotent: true,
  response: comment,
  errors: [...bodyErrors, "not_found", "own_request", "too_many_comments"],
  example: { words: "Their team lead asked for this by phone." },
});

/** Takes words away. */
export const removeComment = defineEndpoint({
  id: "removeComment",
  method: "DELETE",
  path: "/v1/key-requests/{id}/comments/{comment_id}",
  tag,
  summary: "Remove the words of a comment; that somebody said something stays",
  description: "By whoever said it, or with `admin`. One that is removed already stays so.",
  permission: ["approve", "admin"],
  withinScope: true,
  response: comment,
  errors: ["not_found", "access_denied", "own_request"],
});
