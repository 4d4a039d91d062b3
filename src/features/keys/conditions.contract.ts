import { z } from "zod";
import { nullable } from "../../contract/v1.ts";
import { id, text, timestamp } from "../../contract/values.ts";

/** Calls in each period of so many seconds. */
export const callLimit = z.strictObject({
  calls: z.int().min(1).max(1e12),
  seconds: z.int().min(1).max(1e10),
}).meta({ id: "CallLimit" });

/** The conditions of a key besides its plans and its expiry. */
export const keyConditions = z.strictObject({
  addresses: nullable(z.array(text)).meta({
    description: "Addresses and networks of visitors for which alone it is valid; null: for all.",
  }),
  rate: nullable(callLimit).meta({
    description: "The most that it may call, where its plans allow more; null: as they say.",
  }),
  quota: nullable(callLimit).meta({ description: "Its quota in the same form." }),
  review_at: nullable(timestamp).meta({
    description: "When people want to look at it again; it stays valid afterwards.",
  }),
}).meta({ id: "KeyConditions" });

const addresses = z.array(z.string().trim().min(1).max(64)).min(1).max(100).optional().meta({
  description:
    "Addresses and networks of visitors for which alone the key is valid, such as `192.0.2.0/24`. A port behind an address is left out.",
});

/** The conditions that a key may be granted at once. */
export const grantInput = z.object({
  addresses,
  review_at: timestamp.optional().meta({
    description: "When people want to look at the key again, in the future.",
  }),
}).meta({ id: "GrantInput" });

/** The terms of a counter-offer. */
export const offerTermsInput = z.object({
  ...grantInput.shape,
  expires_at: timestamp.optional().meta({
    description: "When the key expires, in the future; absent: as its plans say.",
  }),
  rate: callLimit.optional().meta({
    description: "The most that the key may call, less than its plans allow.",
  }),
  quota: callLimit.optional().meta({
    description: "Its quota in the same form; 10000000000 seconds: it is never renewed.",
  }),
  plans: z.array(id).min(1).max(20).optional().meta({
    description: "Instead of the plans that are asked for: fewer of them, or others.",
  }),
}).meta({ id: "OfferTermsInput" });

/** The granted terms; null: as requested. */
export const granted = z.strictObject({
  ...keyConditions.shape,
  expires_at: nullable(timestamp),
  plans: nullable(z.array(text)).meta({ description: "Null: those that are asked for." }),
}).meta({ id: "GrantedTerms" });
