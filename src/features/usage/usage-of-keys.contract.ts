import { z } from "zod";
import { defineEndpoint } from "../../contract/endpoint.ts";
import { exampleIds } from "../../contract/example-ids.ts";
import { idsWithCommas, integer, text } from "../../contract/values.ts";

/** As many keys as a page of a list shows. */
const MOST = 50;

/** How often each of some keys was used. */
export const getUsageOfKeys = defineEndpoint({
  id: "getUsageOfKeys",
  method: "GET",
  path: "/v1/usage/keys",
  tag: "Use",
  withinScope: true,
  summary: "How often each of up to 50 keys was let in and refused in the last seven days",
  description:
    "Of today and the six days before, UTC: what a list of keys shows beside each. One key by " +
    "itself, with reasons and any span: `GET /v1/usage`.",
  permission: ["portal:read"],
  query: z.object({
    keys: idsWithCommas(MOST).meta({
      description: "Their ids, 50 at the most, with commas between them.",
      example: exampleIds.key,
    }),
  }),
  response: z.strictObject({
    from: z.iso.date(),
    to: z.iso.date(),
    data: z.array(
      z.strictObject({
        key_id: text,
        success: integer.describe("Calls that were let in."),
        error: integer.describe("Calls that were refused."),
      }).meta({ id: "CallsOfKey" }),
    ).describe("In the order in which they were asked for; of a key that nobody knows: none."),
  }).meta({ id: "CallsOfKeys" }),
  errors: ["invalid_input"],
});
