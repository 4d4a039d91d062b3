import { z } from "zod";
import { pageOf } from "../../../contract/paging.ts";
import { nullable, pageQuery } from "../../../contract/v1.ts";
import { id, text, timestamp } from "../../../contract/values.ts";
import { addedWords } from "../../key-requests/decision.contract.ts";
import { granted } from "../../keys/conditions.contract.ts";

const states = ["pending", "approved", "declined"] as const;

/** The message of a developer to those who decide. */
export const words = z.string().trim().max(2000);

/** A plan by its name, with the APIs that it is for. */
export const namedPlan = z.strictObject({
  id: text,
  name: text.meta({ description: "Empty where the plan is gone." }),
  apis: z.array(text).meta({ description: "The names of the APIs that offer it." }),
}).meta({ id: "NamedPlan" });

/** The counter-offer to the developer. */
const myOffer = z.strictObject({
  id: text,
  state: z.enum(["waiting", "turned_down", "answered", "expired"]),
  offered_at: timestamp,
  expires_at: timestamp.meta({ description: "From then on it can't be accepted any more." }),
  terms: granted,
  plans: nullable(z.array(namedPlan)).meta({
    description: "The plans of `terms` by their names; null: those that were asked for.",
  }),
  message: nullable(text),
  words: nullable(text).meta({ description: "The answer; null: none." }),
}).meta({ id: "MyOffer" });

/** A request as anyone who asked reads it. */
export const myRequest = z.strictObject({
  id: text,
  state: z.enum(states),
  plans: z.array(namedPlan),
  fields: z.record(z.string(), text).meta({ description: "The answer." }),
  date_created: timestamp,
  decided_at: nullable(timestamp),
  reason: nullable(text).meta({
    description:
      "The reason for declining, as it was written to the developer; null: none was given.",
  }),
  message: nullable(text).meta({
    description: "The approver's message; null: none.",
  }),
  granted: nullable(granted).meta({
    description: "The conditions of the key, if they differ from the request; null: as requested.",
  }),
  later_end: nullable(z.strictObject({
    key: text.meta({ description: "The id of the key that is to live longer." }),
    until: timestamp,
  })).meta({
    description: "The change that was requested for an existing key; null: a key was requested.",
  }),
  added_words: z.array(addedWords).meta({
    description: "Additions for the deciders while it waited, the oldest first.",
  }),
  late_from: nullable(timestamp).meta({
    description:
      "From when on it waits longer than usual; null: it was decided, or the usual time is unknown.",
  }),
  reminded_at: nullable(timestamp).meta({
    description: "When those who decide were reminded of it by `remind`; null: never.",
  }),
  expires_at: nullable(timestamp).meta({
    description:
      "When it is declined automatically, unless it is decided before; null: it waits without limit.",
  }),
  expired: z.boolean().meta({
    description: "True: it was not decided in time, and was declined for that.",
  }),
  offer: nullable(myOffer).meta({
    description: "The counter-offer; null: none, or it is over.",
  }),
  no_longer_offered: nullable(z.strictObject({
    plans: z.array(z.strictObject({ id: text, name: text })),
    api_id: nullable(text).meta({
      description: "The API that other plans may be requested of; null: it is not offered either.",
    }),
  })).meta({
    description: "Plans of it that can't be requested any more; null: none, or it was approved.",
  }),
  key: nullable(z.strictObject({
    id: text,
    mask: text,
    waits_until: nullable(timestamp).meta({
      description: "Until when the key waits to be opened; null: it was opened, or it is too late.",
    }),
  })).meta({ description: "The key that it led to; null: none that still exists." }),
}).meta({ id: "MyKeyRequest" });

/** The answer of `listMyRequests`. */
export const myKeyRequestList = pageOf(myRequest).meta({ id: "MyKeyRequestList" });

/** The query of `listMyRequests`. */
export const listMyRequestsQuery = z.object({
  ...pageQuery,
  state: z.enum(states, { error: `expected ${states.join(" or ")}` }).optional()
    .meta({ description: "Only requests in this state." }),
});

/** A request as it was just asked for. */
export const myNewRequest = z.strictObject({
  ...myRequest.shape,
  already_requested: z.boolean().meta({
    description: "True: it waits already, and nothing was asked for once more.",
  }),
}).meta({ id: "MyNewKeyRequest" });

/** The body of `createMyRequest`. */
export const askInput = z.object({
  plan: id,
  fields: z.record(z.string().min(1).max(255), z.string()).optional().meta({
    description: "The answers to `requested_fields` of the plan, by their names.",
  }),
}).meta({ id: "AskInput" });

/** The body of `requestMyLaterEnd`. */
export const laterEndInput = z.object({
  until: timestamp,
  words: words.optional().meta({ description: "For those who decide." }),
}).meta({ id: "LaterEndInput" });
