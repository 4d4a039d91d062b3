import { z } from "zod";
import { denialReasons } from "../../../contract/denied-calls.ts";
import { nullable, pageQuery } from "../../../contract/v1.ts";
import { id, integer, text, timestamp } from "../../../contract/values.ts";

/** A call that was denied. */
export const deniedCall = z.strictObject({
  id: text,
  at: timestamp,
  reason: z.enum(denialReasons),
  status: integer.describe("The answer of forward-auth: 401, 403 or 429."),
  gateway: text.describe("The name of the gateway; `other`: an unknown one."),
  api_id: nullable(text).describe("The API that was asked for; null: any."),
  plan_id: nullable(text).describe("The plan that the call went by; null: it came to none."),
  key_id: nullable(text).describe("Null: the presented key is unknown."),
  key_mask: nullable(text).describe("Null if there is no such key, or no longer."),
  key_name: text.describe("The display name of the key; may be empty."),
  key_state: nullable(z.enum(["active", "suspended", "revoked"])).describe("Its present state."),
  developer_id: nullable(text),
  developer_name: text.describe("Their name, else their address; may be empty."),
  limit: nullable(integer).describe("Of over_rate and over_quota: what the plan gives."),
  per_seconds: nullable(z.number()).describe("In each so many seconds."),
  retry_after: nullable(integer).describe("Seconds, from then on, after which a call passes."),
  ended_at: nullable(timestamp).describe("Of expired: when the key or the token expired."),
  valid_for: z.array(text).describe(
    "Of wrong_api: some of the APIs for which the key's plans are valid.",
  ),
  hash_start: text.describe("The first 8 digits of the SHA-256 of what was presented."),
  network: nullable(text).describe(
    "Of the visitor's address, /24 or /48; null if no trusted proxy stated it.",
  ),
}).meta({ id: "DeniedCall" });

/** Which denied calls are requested; several narrow one another. */
export const deniedCallQuery = z.object({
  reason: z.enum(denialReasons, { error: "expected a reason such as over_rate" }).optional()
    .meta({ description: "Only those denied for this reason." }),
  key: id.optional().meta({ description: "Only of the key with this id." }),
  developer: id.optional().meta({ description: "Only of this developer's keys." }),
  plan: id.optional().meta({ description: "Only those that went by this plan." }),
  api: id.optional().meta({ description: "Only those that asked for this API." }),
  gateway: id.optional().meta({ description: "Only those at this gateway." }),
  after: timestamp.optional().meta({ description: "Only those at this second or later." }),
  before: timestamp.optional().meta({ description: "Only those before this second." }),
  ...pageQuery,
});
