import { z } from "zod";
import { nullable } from "../../contract/v1.ts";
import { text, timestamp } from "../../contract/values.ts";
import { emailState } from "../developers/developers.contract.ts";
import { granted } from "../keys/conditions.contract.ts";

/** Why, for those who approve. */
export const reason = z.string().trim().max(2000);

/**
 * The errors of decisions by the requester, and by the person who filed it if the policy requires
 * others.
 */
export const ownErrors = ["own_request", "filed_by_you"] as const;

/** The message to the developer. */
export const toDeveloper = z.string().trim().max(2000).optional().meta({
  description: "Said to the developer, in the mail and on their pages; `reason` never is.",
});

/** The counter-offer, and its state. */
export const offered = z.strictObject({
  id: text,
  state: z.enum(["waiting", "turned_down", "answered", "expired"]),
  offered_at: timestamp,
  offered_by: text,
  expires_at: timestamp.meta({ description: "From then on it can't be accepted any more." }),
  terms: granted,
  message: nullable(text).meta({ description: "To the developer; null: nothing was said." }),
  reason: nullable(text).meta({ description: "For those who approve alone." }),
  answered_at: nullable(timestamp),
  words: nullable(text).meta({ description: "The developer's answer; null: none yet." }),
}).meta({ id: "KeyRequestOffer" });

/** Words that a developer added to a request that waits. */
export const addedWords = z.strictObject({ at: timestamp, words: text }).meta({ id: "AddedWords" });

const planLimits = z.strictObject({
  rate: z.number(),
  per: z.number(),
  quota_max: z.number(),
  quota_renewal_rate: z.number(),
});

/** The data known when a request was decided. */
export const decidedOn = z.strictObject({
  plans: z.array(z.strictObject({
    id: text,
    limits: nullable(planLimits).meta({ description: "Null: the plan was unknown." }),
    key_expires_in: nullable(z.number()),
    held: z.boolean().meta({ description: "Whether the developer had a key for it." }),
  })),
  developer: z.strictObject({
    inactive: z.boolean(),
    keys: z.int(),
    email_state: emailState.optional(),
    email_changed_at: nullable(timestamp).optional(),
  }),
  offer_id: text.optional().meta({
    description: "Of the offer that its developer accepted; absent: there was none.",
  }),
}).meta({ id: "DecidedOn" });
