import { z } from "zod";
import { bodyErrors } from "../../contract/endpoint.ts";
import { pageOf } from "../../contract/paging.ts";
import { nextPageLink, pageQuery } from "../../contract/v1.ts";
import { integer, text } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import { withNextPage } from "../../http/routes.ts";
import { channel, channelChange, channelInput, channelTest } from "./channels.contract.ts";
import * as channels from "./channels.service.ts";
import { testChannel as sendTest } from "./test-channel.ts";

const tag = "Channels";

const withSecret = channel.extend({
  secret: text.meta({
    description: "Signs what is sent; shown this once. Empty of a mail channel, which has none.",
  }),
}).meta({ id: "ChannelWithSecret" });

const example = {
  name: "Our portal",
  url: "https://portal.example.org/hooks/keydesk",
  topics: ["key_request.*", "key.revoked"],
};

/** Channels. */
export const listChannels = operation({
  id: "listChannels",
  method: "GET",
  path: "/v1/channels",
  tag,
  summary: "List notification channels, newest first",
  description: "No secret is shown.",
  permission: ["admin:read"],
  withinTemporaryAccess: true,
  query: z.object(pageQuery),
  answerHeaders: nextPageLink,
  response: pageOf(channel).meta({ id: "ChannelList" }),
  errors: ["invalid_input"],
  async serve(ctx, call) {
    const page = await channels.list(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  },
});

/** A further channel. */
export const createChannel = operation({
  id: "createChannel",
  method: "POST",
  path: "/v1/channels",
  tag,
  summary: "Add a notification channel; its secret is shown this once",
  description:
    "It is sent changes from now on; earlier ones are sent by a replay. A webhook needs `url`, and its messages are signed as Standard Webhooks says. A mail channel, of which an organisation has one, takes `mail`.",
  permission: ["admin"],
  needsFreshSignIn: true,
  idempotent: true,
  body: channelInput,
  response: withSecret,
  errors: [...bodyErrors],
  example,
  serve: (ctx, call) => channels.create(ctx, call.body, call.idempotency),
});

/** One channel. */
export const getChannel = operation({
  id: "getChannel",
  method: "GET",
  path: "/v1/channels/{id}",
  tag,
  summary: "Read a channel",
  description: "No secret is shown.",
  permission: ["admin:read"],
  withinTemporaryAccess: true,
  response: channel,
  errors: ["not_found"],
  serve: (ctx, { params }) => channels.get(ctx, params.id),
});

/** Replaces the settings that its owner writes. */
export const updateChannel = operation({
  id: "updateChannel",
  method: "PUT",
  path: "/v1/channels/{id}",
  tag,
  summary: "Replace name, URL, template, topics and words of a channel",
  description: "Waiting messages are sent to the new URL. Topics decide about later changes.",
  permission: ["admin"],
  needsFreshSignIn: true,
  body: channelChange,
  response: channel,
  errors: [...bodyErrors, "not_found", "managed_by_file"],
  example,
  serve: (ctx, { params, body }) => channels.update(ctx, params.id, body),
});

/** No channel any more. */
export const deleteChannel = operation({
  id: "deleteChannel",
  method: "DELETE",
  path: "/v1/channels/{id}",
  tag,
  summary: "Remove a channel and what waits for it",
  description: "Delivered messages stay in the list of deliveries.",
  permission: ["admin"],
  response: z.strictObject({
    dropped: integer.meta({ description: "How many messages waited or were given up." }),
  }).meta({ id: "RemovedChannel" }),
  errors: ["not_found", "managed_by_file"],
  serve: (ctx, { params }) => channels.remove(ctx, params.id),
});

/** Stops sending. */
export const pauseChannel = operation({
  id: "pauseChannel",
  method: "POST",
  path: "/v1/channels/{id}/pause",
  tag,
  summary: "Send a channel nothing until it is resumed",
  description: "Messages wait, however long it takes, and no try of them is counted.",
  permission: ["admin"],
  response: channel,
  errors: ["not_found"],
  serve: (ctx, { params }) => channels.pause(ctx, params.id, true),
});

/** Goes on sending. */
export const resumeChannel = operation({
  id: "resumeChannel",
  method: "POST",
  path: "/v1/channels/{id}/resume",
  tag,
  summary: "Go on with a paused channel",
  description:
    "Waiting messages are sent within five seconds, in order. Each is tried for 24 hours again before it is given up.",
  permission: ["admin"],
  response: channel,
  errors: ["not_found"],
  serve: (ctx, { params }) => channels.pause(ctx, params.id, false),
});

/** Without waiting. */
export const deliverNow = operation({
  id: "deliverNow",
  method: "POST",
  path: "/v1/channels/{id}/now",
  tag,
  summary: "Send a channel what waits for its next try within five seconds",
  description:
    "In order, spread over that time, whatever `Retry-After` said. Messages that were given up are sent by a replay. A paused channel is sent nothing until it is resumed.",
  permission: ["admin"],
  response: z.strictObject({
    woken: integer.meta({ description: "How many were to be tried later than that." }),
  }).meta({ id: "DeliveredNow" }),
  errors: ["not_found"],
  serve: (ctx, { params }) => channels.deliverNow(ctx, params.id),
});

/** Whether it works. */
export const testChannel = operation({
  id: "testChannel",
  method: "POST",
  path: "/v1/channels/{id}/test",
  tag,
  summary: "Send a channel a test at once, and give what it answers",
  description:
    "A message of the topic `channel.tested`, signed as any other; of a mail channel a mail to the caller. It is no delivery: it delays nothing, it is tried once, and a paused channel gets it too.",
  permission: ["admin"],
  response: channelTest,
  errors: ["not_found"],
  serve: (ctx, { params }) => sendTest(ctx, params.id),
});

/** Another secret. */
export const rotateChannelSecret = operation({
  id: "rotateChannelSecret",
  method: "POST",
  path: "/v1/channels/{id}/rotate",
  tag,
  summary: "Give a channel a fresh secret, shown this once",
  description:
    "For `overlap_hours` everything is signed with both secrets. A secret that was replaced before, within its own overlap, is revoked at once.",
  permission: ["admin"],
  needsFreshSignIn: true,
  idempotent: true,
  body: z.object({ overlap_hours: z.int().min(0).max(168).default(24) })
    .meta({ id: "SecretRotation" }),
  bodyOptional: true,
  response: withSecret,
  errors: [...bodyErrors, "not_found"],
  example: { overlap_hours: 24 },
  serve: (ctx, call) => channels.rotate(ctx, call.params.id, call.body, call.idempotency),
});
