import { z } from "zod";
import { bodyErrors } from "../../contract/endpoint.ts";
import { pageOf } from "../../contract/paging.ts";
import { nextPageLink, pageQuery } from "../../contract/v1.ts";
import { integer, text } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import { withNextPage } from "../../http/routes.ts";
import { target, targetChange, targetInput, targetTest } from "./targets.contract.ts";
import * as targets from "./targets.service.ts";
import { testTarget as sendTest } from "./test-target.ts";

const tag = "Targets";

const withSecret = target.extend({
  secret: text.meta({
    description: "Signs what is sent; shown this once. Empty of a target of mails, which has none.",
  }),
}).meta({ id: "TargetWithSecret" });

const example = {
  name: "Our portal",
  url: "https://portal.example.org/hooks/keydesk",
  topics: ["key_request.*", "credential.revoked"],
};

/** Targets. */
export const listTargets = operation({
  id: "listTargets",
  method: "GET",
  path: "/v1/targets",
  tag,
  summary: "List who is told of changes, newest first",
  description: "No secret is shown.",
  permission: ["admin:read"],
  withinElevation: true,
  query: z.object(pageQuery),
  answerHeaders: nextPageLink,
  response: pageOf(target).meta({ id: "TargetList" }),
  errors: ["invalid_input"],
  async serve(ctx, call) {
    const page = await targets.list(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  },
});

/** A further target. */
export const createTarget = operation({
  id: "createTarget",
  method: "POST",
  path: "/v1/targets",
  tag,
  summary: "Add somebody who is told of changes; the secret is shown this once",
  description:
    "It is told of what changes from now on; what was before is sent by a replay. A webhook needs `url`, and its messages are signed as Standard Webhooks says. A target of mails, of which an organisation has one, takes `mail`.",
  permission: ["admin"],
  needsFreshSignIn: true,
  idempotent: true,
  body: targetInput,
  response: withSecret,
  errors: [...bodyErrors],
  example,
  serve: (ctx, call) => targets.create(ctx, call.body, call.idempotency),
});

/** One target. */
export const getTarget = operation({
  id: "getTarget",
  method: "GET",
  path: "/v1/targets/{id}",
  tag,
  summary: "Read a target",
  description: "No secret is shown.",
  permission: ["admin:read"],
  withinElevation: true,
  response: target,
  errors: ["not_found"],
  serve: (ctx, { params }) => targets.get(ctx, params.id),
});

/** What its owner writes, anew. */
export const updateTarget = operation({
  id: "updateTarget",
  method: "PUT",
  path: "/v1/targets/{id}",
  tag,
  summary: "Replace name, URL, template, topics and words of a target",
  description: "What waits is sent to the new URL. Topics decide about what changes from now on.",
  permission: ["admin"],
  needsFreshSignIn: true,
  body: targetChange,
  response: target,
  errors: [...bodyErrors, "not_found"],
  example,
  serve: (ctx, { params, body }) => targets.update(ctx, params.id, body),
});

/** No target any more. */
export const deleteTarget = operation({
  id: "deleteTarget",
  method: "DELETE",
  path: "/v1/targets/{id}",
  tag,
  summary: "Remove a target and what waits for it",
  description: "What was delivered stays in the list of deliveries.",
  permission: ["admin"],
  response: z.strictObject({
    dropped: integer.meta({ description: "How many messages waited or were given up." }),
  }).meta({ id: "RemovedTarget" }),
  errors: ["not_found"],
  serve: (ctx, { params }) => targets.remove(ctx, params.id),
});

/** Stops sending. */
export const pauseTarget = operation({
  id: "pauseTarget",
  method: "POST",
  path: "/v1/targets/{id}/pause",
  tag,
  summary: "Send a target nothing until it is resumed",
  description: "Messages wait, however long it takes, and no try of them is counted.",
  permission: ["admin"],
  response: target,
  errors: ["not_found"],
  serve: (ctx, { params }) => targets.pause(ctx, params.id, true),
});

/** Goes on sending. */
export const resumeTarget = operation({
  id: "resumeTarget",
  method: "POST",
  path: "/v1/targets/{id}/resume",
  tag,
  summary: "Go on with a paused target",
  description:
    "What waits is sent within five seconds, in its order, and has 24 hours again before it is given up.",
  permission: ["admin"],
  response: target,
  errors: ["not_found"],
  serve: (ctx, { params }) => targets.pause(ctx, params.id, false),
});

/** Without waiting. */
export const deliverNow = operation({
  id: "deliverNow",
  method: "POST",
  path: "/v1/targets/{id}/now",
  tag,
  summary: "Send a target what waits for its next try within five seconds",
  description:
    "In its order, spread over that time, whatever `Retry-After` said. What was given up is sent by a replay. A target that is paused is sent nothing until it is resumed.",
  permission: ["admin"],
  response: z.strictObject({
    woken: integer.meta({ description: "How many were to be tried later than that." }),
  }).meta({ id: "DeliveredNow" }),
  errors: ["not_found"],
  serve: (ctx, { params }) => targets.deliverNow(ctx, params.id),
});

/** Whether it works. */
export const testTarget = operation({
  id: "testTarget",
  method: "POST",
  path: "/v1/targets/{id}/test",
  tag,
  summary: "Send a target a test at once, and give what it answers",
  description:
    "A message of the topic `target.tested`, signed as any other; of a target of mails a mail to whoever asks. It is no delivery: nothing waits for it, it is tried once, and a target that is paused gets it too.",
  permission: ["admin"],
  response: targetTest,
  errors: ["not_found"],
  serve: (ctx, { params }) => sendTest(ctx, params.id),
});

/** Another secret. */
export const rotateTargetSecret = operation({
  id: "rotateTargetSecret",
  method: "POST",
  path: "/v1/targets/{id}/rotate",
  tag,
  summary: "Give a target a fresh secret, shown this once",
  description:
    "For `overlap_hours` everything is signed with both secrets. One that was replaced before, within its own overlap, ends at once.",
  permission: ["admin"],
  needsFreshSignIn: true,
  idempotent: true,
  body: z.object({ overlap_hours: z.int().min(0).max(168).default(24) })
    .meta({ id: "SecretRotation" }),
  bodyOptional: true,
  response: withSecret,
  errors: [...bodyErrors, "not_found"],
  example: { overlap_hours: 24 },
  serve: (ctx, call) => targets.rotate(ctx, call.params.id, call.body, call.idempotency),
});
