import { z } from "zod";
import { checkingKinds } from "../../../contract/checking-gateways.ts";
import { nullable } from "../../../contract/v1.ts";
import { integer, text, timestamp } from "../../../contract/values.ts";

/** The last call of a gateway, and how long it has been silent. */
const checkingStates = ["waiting", "calling", "silent"] as const;

/** A gateway that checks each call with Keydesk. */
export const checkingGateway = z.strictObject({
  id: text,
  name: text.meta({ description: "The value that it states in `X-Keydesk-Gateway`." }),
  connection: z.literal("checks").meta({
    description: "`checks`: it asks Keydesk about each call.",
  }),
  kind: z.enum(checkingKinds).meta({ description: "The product." }),
  silent_minutes: integer.meta({
    description: "It is silent after this many minutes without a call; 0: never.",
  }),
  state: z.enum(checkingStates).meta({
    description: "`waiting`: it never called. Times of calls are up to a minute old.",
  }),
  version: text.meta({
    description:
      "The file's version, as its last call stated it; empty: none. It begins with `X-Keydesk-Door` if that former header named the gateway.",
  }),
  newer_version: nullable(text).meta({
    description:
      "The version of the documented file of its kind, if that is newer than what its last call " +
      "stated; null: it is not, or it is not known.",
  }),
  calls_a_minute: integer.meta({
    description: "Its calls in the last whole minute, of all nodes: 10 to 70 seconds ago.",
  }),
  first_call_at: nullable(timestamp),
  last_call_at: nullable(timestamp),
  created_at: timestamp,
  created_by: text.meta({ description: "The id of who added it." }),
}).meta({ id: "CheckingGateway" });
