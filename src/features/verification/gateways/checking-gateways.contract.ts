import { z } from "zod";
import { doorKinds } from "../../../contract/checking-gateways.ts";
import { nullable } from "../../../contract/v1.ts";
import { integer, text, timestamp } from "../../../contract/values.ts";

/** The last call of a door, and how long it has been silent. */
const doorStates = ["waiting", "calling", "silent"] as const;

/** A door that somebody set up. */
export const door = z.strictObject({
  id: text,
  name: text.meta({ description: "What it says in `X-Keydesk-Door`." }),
  kind: z.enum(doorKinds),
  silent_minutes: integer.meta({
    description: "After so many minutes without a call it is silent; 0: never.",
  }),
  state: z.enum(doorStates).meta({
    description: "`waiting`: it never called. Times of calls are up to a minute old.",
  }),
  version: text.meta({
    description: "What its last call said of its file; empty where it said nothing.",
  }),
  newer_version: nullable(text).meta({
    description:
      "The version of the documented file of its kind, where that is newer than what its last " +
      "call said; null: it is not, or nobody knows.",
  }),
  calls_a_minute: integer.meta({
    description: "Its calls in the last whole minute, of all nodes: 10 to 70 seconds ago.",
  }),
  first_call_at: nullable(timestamp),
  last_call_at: nullable(timestamp),
  date_created: timestamp,
  created_by: text.meta({ description: "The id of who set it up." }),
}).meta({ id: "Door" });
