import { z } from "zod";
import { bodyErrors } from "../../../contract/endpoint.ts";
import { nextPageLink } from "../../../contract/v1.ts";
import { operation } from "../../../http/operation.ts";
import { withNextPage } from "../../../http/routes.ts";
import { listMyKeysQuery, myKey, myKeyDetail, myKeyList, mySecret } from "./keys.contract.ts";
import * as service from "./keys.service.ts";
import * as ownKeys from "./own-keys.service.ts";
import type { MyContext } from "./own.ts";

const tag = "My requests and keys";

/** Lists the developer's keys. */
export const listMyKeys = operation({
  id: "listMyKeys",
  method: "GET",
  path: "/v1/my/keys",
  tag,
  summary: "List one's own keys, newest first, with the calls left of their quotas",
  description: "By cursor. Of a key its id and a mask are shown, never the key.",
  permission: "developer",
  query: listMyKeysQuery,
  answerHeaders: nextPageLink,
  response: myKeyList,
  errors: ["invalid_input"],
  async serve(ctx: MyContext, call) {
    const page = await service.list(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  },
});

/** One of them. */
export const getMyKey = operation({
  id: "getMyKey",
  method: "GET",
  path: "/v1/my/keys/{id}",
  tag,
  summary: "Read one of one's own keys, with its quota and its use by day",
  description: "Another developer's is not found.",
  permission: "developer",
  response: myKeyDetail,
  errors: ["not_found"],
  serve: (ctx: MyContext, { params }) => service.get(ctx, params.id),
});

const mintErrors = [
  "not_found",
  "key_revoked",
  "key_suspended",
  "key_expired",
  "key_rotated",
  "key_damaged",
  "unknown_plan",
] as const;

/** Opens the key that waits. */
export const openMyKey = operation({
  id: "openMyKey",
  method: "POST",
  path: "/v1/my/keys/{id}/one-time-link",
  tag,
  summary: "Open a key of one's own that waits to be opened: it is shown this once",
  description:
    "The waiting key has never been seen, and no copy of it can be read without its link. So a fresh one with its plans takes its place, has an id of its own, and is shown; the link is no longer valid. If it was not opened until `waits_until`, this needs a session that the developer began themselves within the last 10 minutes. With `Idempotency-Key` a repeat gets the first answer again.",
  permission: "developer",
  developerNeeds: "all",
  idempotent: true,
  response: mySecret,
  errors: [...mintErrors, "one_time_link_gone", "fresh_sign_in_required"],
  serve: (ctx: MyContext, { params, idempotency }) => ownKeys.open(ctx, params.id, idempotency),
});

/** A fresh key takes over. */
export const rotateMyKey = operation({
  id: "rotateMyKey",
  method: "POST",
  path: "/v1/my/keys/{id}/rotate",
  tag,
  summary: "Replace a key of one's own by a fresh one, shown this once",
  description:
    "Both are valid for the same plans until the overlap is over or the old one expires. Rates are counted for each, quotas for both together. `expires_at_if_rotated` says when the fresh one expires. With `Idempotency-Key` a repeat gets the first answer again.",
  permission: "developer",
  developerNeeds: "all",
  body: z.object({
    overlap_seconds: z.int().min(0).max(30 * 24 * 60 * 60).default(7 * 24 * 60 * 60).meta({
      description: "How long the old key lives on: 0, or up to 30 days; 7 days by default.",
    }),
  }).meta({ id: "RotateMyKeyInput" }),
  bodyOptional: true,
  idempotent: true,
  response: mySecret,
  errors: [...bodyErrors, ...mintErrors],
  example: { overlap_seconds: 86400 },
  serve(ctx: MyContext, { params, body, idempotency }) {
    return ownKeys.rotate(ctx, params.id, body.overlap_seconds, idempotency);
  },
});

/** The key opens nothing for now. */
export const suspendMyKey = operation({
  id: "suspendMyKey",
  method: "POST",
  path: "/v1/my/keys/{id}/suspend",
  tag,
  summary: "Suspend a key of one's own: it is invalid until it is resumed",
  description: "Verification refuses it within a second.",
  permission: "developer",
  developerNeeds: "all",
  idempotent: true,
  response: myKey,
  errors: ["not_found", "key_revoked", "key_suspended"],
  serve: (ctx: MyContext, { params, idempotency }) =>
    ownKeys.change(ctx, params.id, "suspend", idempotency),
});

/** It opens again. */
export const resumeMyKey = operation({
  id: "resumeMyKey",
  method: "POST",
  path: "/v1/my/keys/{id}/resume",
  tag,
  summary: "Resume a key that one suspended oneself",
  description: "A key that others suspended can be resumed only by them.",
  permission: "developer",
  developerNeeds: "all",
  idempotent: true,
  response: myKey,
  errors: ["not_found", "key_revoked", "key_not_suspended", "key_suspended_by_others"],
  serve: (ctx: MyContext, { params, idempotency }) =>
    ownKeys.change(ctx, params.id, "resume", idempotency),
});

/** It is needed. */
export const keepMyKey = operation({
  id: "keepMyKey",
  method: "POST",
  path: "/v1/my/keys/{id}/keep",
  tag,
  summary: "Say that a key of one's own is still needed, after a warning that it is unused",
  description:
    "The time without use begins anew, and administrators read of it. Does nothing if there is no warning. A key that was suspended since can be resumed only by administrators.",
  permission: "developer",
  developerNeeds: "all",
  idempotent: true,
  response: myKey,
  errors: ["not_found", "key_revoked", "key_suspended"],
  serve: (ctx: MyContext, { params, idempotency }) => ownKeys.keep(ctx, params.id, idempotency),
});

/** It is over. */
export const endMyKey = operation({
  id: "endMyKey",
  method: "DELETE",
  path: "/v1/my/keys/{id}",
  tag,
  summary: "Revoke a key of one's own: it is no longer valid",
  description:
    "Verification refuses it within a second. For 7 days a person with `approve` can restore it.",
  permission: "developer",
  developerNeeds: "all",
  response: myKey,
  errors: ["not_found", "key_revoked"],
  serve: (ctx: MyContext, { params }) => ownKeys.change(ctx, params.id, "revoke", null),
});
