import { z } from "zod";
import { presentAction } from "../../contract/former-names.ts";
import { nullable, pageQuery } from "../../contract/v1.ts";
import { id, integer, text, timestamp } from "../../contract/values.ts";

export const state = z.enum(["waiting", "delivered", "dead", "skipped"]);

const members = {
  id: text.meta({ description: "The `webhook-id` that it is sent with." }),
  channel_id: text,
  recipient: nullable(z.strictObject({
    kind: z.enum(["person", "developer", "owner", "previous", "code", "invited"]),
    id: text.meta({ description: "Of the person or developer; an owner's is the certificate's." }),
  })).meta({ description: "The recipient of a mail; null: the channel itself." }),
  topic: text,
  object_id: text,
  event_id: text,
  event_at: timestamp.meta({ description: "When the change was made." }),
  state: state.meta({
    description:
      "`dead`: it was given up, after 24 hours of tries or since the receiver is gone, until it is replayed. `skipped`: its reason was over before it was sent.",
  }),
  blocked: z.boolean().meta({ description: "True: an earlier message of its object goes first." }),
  attempts: integer.meta({ description: "How often it was tried." }),
  next_try_at: nullable(timestamp),
  ended_at: nullable(timestamp).meta({ description: "When it was delivered or given up." }),
};

/** A message for a channel. */
export const delivery = z.strictObject(members).meta({ id: "Delivery" });

/** A delivery with its tries. */
export const deliveryWithAttempts = z.strictObject({
  ...members,
  tries: z.array(z.strictObject({
    n: integer,
    at: timestamp,
    status: integer.meta({ description: "0: there was no answer." }),
    duration_ms: integer,
    answer: text.meta({ description: "Up to 4 KiB of the answer's body." }),
    error: text.meta({ description: "The reason for no answer." }),
  })).meta({ description: "The newest 100, the newest first." }),
}).meta({ id: "DeliveryWithAttempts" });

/** The query of a list of deliveries. */
export const deliveryQuery = z.object({
  ...pageQuery,
  channel_id: id.optional(),
  state: state.optional(),
  // A former one would find nothing, and look like an answer.
  topic: id.refine((name) => presentAction(name) === name, {
    error: ({ input }) => `it is ${presentAction(String(input))} since 0.9.0`,
  }).optional(),
  object_id: id.optional().meta({ description: "Notifications about the object of this id." }),
  after: timestamp.optional().meta({ description: "Of changes from this time on." }),
  before: timestamp.optional().meta({ description: "Of changes until shortly before this time." }),
});

/** The answer of `countDeliveries`. */
export const deliveryCounts = z.strictObject({
  dead: integer.meta({ description: "Messages that were given up; 1,000: so many or more." }),
  dead_by_channel: z.array(z.strictObject({
    channel_id: text,
    dead: integer,
    status: integer.meta({ description: "Of the newest one's last try; 0: no answer." }),
    error: text.meta({ description: "The reason for none." }),
  })),
  waiting: integer.meta({ description: "Messages that wait; 1,000: so many or more." }),
  waiting_by_channel: z.array(z.strictObject({
    channel_id: text,
    waiting: integer,
    next_try_at: nullable(timestamp).meta({ description: "When the first of them is tried." }),
  })),
}).meta({ id: "DeliveryCounts" });

/** The body of `replayDeliveries`. */
export const replayInput = z.object({
  channel_id: id,
  after: timestamp,
  before: timestamp.optional(),
  topics: z.array(z.string().min(1).max(100)).min(1).max(100).optional()
    .meta({ description: "Topics or patterns; absent: all that the channel wants." }),
  object_id: id.optional(),
  states: z.array(z.enum(["dead", "delivered", "unsent"])).min(1).default(["dead", "unsent"]),
  cursor: z.string().max(2048).optional(),
}).meta({ id: "ReplayInput" });
