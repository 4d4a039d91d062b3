import { z } from "zod";
import { bodyErrors } from "../../contract/endpoint.ts";
import { pageOf } from "../../contract/paging.ts";
import { nextPageLink, nullable } from "../../contract/v1.ts";
import { integer, text } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import { withNextPage } from "../../http/routes.ts";
import {
  delivery,
  deliveryCounts,
  deliveryQuery,
  deliveryWithAttempts,
  replayInput,
} from "./deliveries.contract.ts";
import * as service from "./deliveries.service.ts";
import { countDeliveries as countedDeliveries } from "./deliveries.service.ts";

const tag = "Deliveries";

/** Deliveries. */
export const listDeliveries = operation({
  id: "listDeliveries",
  method: "GET",
  path: "/v1/deliveries",
  tag,
  summary:
    "List deliveries with their recipients, newest first; a page may hold fewer than `limit` and have a next",
  description: "By cursor, with filters by channel, state, topic, object and time.",
  permission: ["admin:read"],
  withinTemporaryAccess: true,
  query: deliveryQuery,
  answerHeaders: nextPageLink,
  response: pageOf(delivery).meta({ id: "DeliveryList" }),
  errors: ["invalid_input"],
  async serve(ctx, call) {
    const page = await service.list(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  },
});

/** Counts failed and waiting deliveries. */
export const countDeliveries = operation({
  id: "countDeliveries",
  method: "GET",
  path: "/v1/deliveries/counts",
  tag,
  summary: "Count what was given up and what waits, by channel",
  description:
    "Of the newest 1,000 messages that were given up and the oldest 1,000 that wait, and of up to 20 channels.",
  permission: ["admin:read"],
  withinTemporaryAccess: true,
  response: deliveryCounts,
  errors: [],
  serve: (ctx) => countedDeliveries(ctx),
});

/** One delivery. */
export const getDelivery = operation({
  id: "getDelivery",
  method: "GET",
  path: "/v1/deliveries/{id}",
  tag,
  summary: "Read a delivery with what became of each try",
  description: "Of each try: status, duration, and what was answered.",
  permission: ["admin:read"],
  withinTemporaryAccess: true,
  response: deliveryWithAttempts,
  errors: ["not_found"],
  serve: (ctx, { params }) => service.get(ctx, params.id),
});

/** Once more. */
export const replayDelivery = operation({
  id: "replayDelivery",
  method: "POST",
  path: "/v1/deliveries/{id}/replay",
  tag,
  summary: "Send a delivery once more, with the same id",
  description:
    "It goes behind what waits for the same object. One that waits for its next try is tried now.",
  permission: ["admin"],
  response: delivery,
  errors: ["not_found"],
  serve: (ctx, { params }) => service.replay(ctx, params.id),
});

/** Many once more. */
export const replayDeliveries = operation({
  id: "replayDeliveries",
  method: "POST",
  path: "/v1/deliveries/replay",
  tag,
  summary: "Send a channel the messages of a span of time that match, with the ids that they have",
  description:
    "In the order of the changes, up to 1,000 messages looked at in a call: repeat it with `next_cursor` as `cursor` until that is null. `states` says which: given up (`dead`), `delivered` already, or never sent to this channel (`unsent`). Waiting messages are left as they are.",
  permission: ["admin"],
  body: replayInput,
  response: z.strictObject({ replayed: integer, next_cursor: nullable(text) })
    .meta({ id: "Replayed" }),
  errors: [...bodyErrors, "not_found"],
  example: {
    channel_id: "65b0c1d2e3f4a5b6c7d8e9f6",
    after: "2026-01-31T00:00:00Z",
    topics: ["key_request.*"],
    states: ["dead", "unsent"],
  },
  serve: (ctx, { body }) => service.replayMany(ctx, body),
});
