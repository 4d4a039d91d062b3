import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { pageOf } from "../../contract/paging.ts";
import { nextPageLink, nullable, pageQuery } from "../../contract/v1.ts";
import { id, integer, text, timestamp } from "../../contract/values.ts";

const tag = "Deliveries";

const state = z.enum(["waiting", "delivered", "dead", "skipped"]);

const members = {
  id: text.meta({ description: "The `webhook-id` that it is sent with." }),
  target_id: text,
  recipient: nullable(z.strictObject({
    kind: z.enum(["person", "developer", "owner", "previous", "code", "invited"]),
    id: text.meta({ description: "Of the person or developer; an owner's is the certificate's." }),
  })).meta({ description: "Whom a mail is for; null: the target is told by itself." }),
  topic: text,
  object_id: text,
  event_id: text,
  event_at: timestamp.meta({ description: "When the change was made." }),
  state: state.meta({
    description:
      "`dead`: it was given up, after 24 hours of tries or since nobody takes it there, until it is replayed. `skipped`: what it would have told was over before.",
  }),
  blocked: z.boolean().meta({ description: "True: an earlier message of its object goes first." }),
  attempts: integer.meta({ description: "How often it was tried." }),
  next_try_at: nullable(timestamp),
  ended_at: nullable(timestamp).meta({ description: "When it was delivered or given up." }),
};

/** A message for a target. */
export const delivery = z.strictObject(members).meta({ id: "Delivery" });

/** The same with its tries. */
export const deliveryWithAttempts = z.strictObject({
  ...members,
  tries: z.array(z.strictObject({
    n: integer,
    at: timestamp,
    status: integer.meta({ description: "0: there was no answer." }),
    duration_ms: integer,
    answer: text.meta({ description: "Up to 4 KiB of the answer's body." }),
    error: text.meta({ description: "Why there was no answer." }),
  })).meta({ description: "The newest 100, the newest first." }),
}).meta({ id: "DeliveryWithAttempts" });

/** What a list of deliveries is asked for. */
export const deliveryQuery = z.object({
  ...pageQuery,
  target_id: id.optional(),
  state: state.optional(),
  topic: id.optional(),
  object_id: id.optional().meta({ description: "Who was told of the thing of this id." }),
  after: timestamp.optional().meta({ description: "Of changes from this time on." }),
  before: timestamp.optional().meta({ description: "Of changes until shortly before this time." }),
});

/** Deliveries. */
export const listDeliveries = defineEndpoint({
  id: "listDeliveries",
  method: "GET",
  path: "/v1/deliveries",
  tag,
  summary: "Who was told what, newest first; a page may hold fewer than `limit` and have a next",
  description: "By cursor, with filters by target, state, topic, object and time.",
  permission: ["admin:read"],
  withinElevation: true,
  query: deliveryQuery,
  answerHeaders: nextPageLink,
  response: pageOf(delivery).meta({ id: "DeliveryList" }),
  errors: ["invalid_input"],
});

/** What did not arrive, and what waits. */
export const countDeliveries = defineEndpoint({
  id: "countDeliveries",
  method: "GET",
  path: "/v1/deliveries/counts",
  tag,
  summary: "Count what was given up and what waits, by target",
  description:
    "Of the newest 1,000 messages that were given up and the oldest 1,000 that wait, and of up to 20 targets.",
  permission: ["admin:read"],
  withinElevation: true,
  response: z.strictObject({
    dead: integer.meta({ description: "Messages that were given up; 1,000: so many or more." }),
    dead_by_target: z.array(z.strictObject({
      target_id: text,
      dead: integer,
      status: integer.meta({ description: "Of the newest one's last try; 0: no answer." }),
      error: text.meta({ description: "Why there was none." }),
    })),
    waiting: integer.meta({ description: "Messages that wait; 1,000: so many or more." }),
    waiting_by_target: z.array(z.strictObject({
      target_id: text,
      waiting: integer,
      next_try_at: nullable(timestamp).meta({ description: "When the first of them is tried." }),
    })),
  }).meta({ id: "DeliveryCounts" }),
  errors: [],
});

/** One delivery. */
export const getDelivery = defineEndpoint({
  id: "getDelivery",
  method: "GET",
  path: "/v1/deliveries/{id}",
  tag,
  summary: "Read a delivery with what became of each try",
  description: "Of each try: status, duration, and what was answered.",
  permission: ["admin:read"],
  withinElevation: true,
  response: deliveryWithAttempts,
  errors: ["not_found"],
});

/** Once more. */
export const replayDelivery = defineEndpoint({
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
});

/** Many once more. */
export const replayDeliveries = defineEndpoint({
  id: "replayDeliveries",
  method: "POST",
  path: "/v1/deliveries/replay",
  tag,
  summary: "Send a target the messages of a span of time that match, with the ids that they have",
  description:
    "In the order in which the changes were made, up to 1,000 messages looked at in a call: repeat it with `next_cursor` as `cursor` until that is null. `states` says which: given up (`dead`), `delivered` already, or never sent to this target (`unsent`). What waits is left as it is.",
  permission: ["admin"],
  body: z.object({
    target_id: id,
    after: timestamp,
    before: timestamp.optional(),
    topics: z.array(z.string().min(1).max(100)).min(1).max(100).optional()
      .meta({ description: "Topics or patterns; absent: all that the target wants." }),
    object_id: id.optional(),
    states: z.array(z.enum(["dead", "delivered", "unsent"])).min(1).default(["dead", "unsent"]),
    cursor: z.string().max(2048).optional(),
  }).meta({ id: "ReplayInput" }),
  response: z.strictObject({ replayed: integer, next_cursor: nullable(text) })
    .meta({ id: "Replayed" }),
  errors: [...bodyErrors, "not_found"],
  example: {
    target_id: "65b0c1d2e3f4a5b6c7d8e9f6",
    after: "2026-01-31T00:00:00Z",
    topics: ["key_request.*"],
    states: ["dead", "unsent"],
  },
});
