import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { nullable } from "../../contract/v1.ts";
import { text, timestamp } from "../../contract/values.ts";
import { key } from "./keys.contract.ts";

/** When the key ends, and when it would. */
export const getKeyExpiry = defineEndpoint({
  id: "getKeyExpiry",
  method: "GET",
  path: "/v1/keys/{key_id}/expiry",
  tag: "Keys",
  withinScope: true,
  summary: "Read when a key ends, and when it would after a rotation or with other plans",
  description: "Before a decision that may move the end.",
  permission: ["portal:read"],
  withinElevation: true,
  query: z.object({
    plans: text.max(4096).optional().meta({
      description: "Ids of plans, with commas between them: those that it would be given.",
    }),
  }),
  response: z.strictObject({
    expires_at: nullable(timestamp).meta({ description: "null: it does not end by itself." }),
    is_chosen: z.boolean().meta({
      description: "A person chose it, so it follows no plan.",
    }),
    after_rotation: nullable(timestamp).meta({
      description: "Of a fresh key that took its place now.",
    }),
    with_plans: nullable(timestamp).meta({
      description: "With `plans`, from now on; without `plans` as it is.",
    }),
  }).meta({ id: "KeyExpiry" }),
  errors: ["invalid_input", "not_found"],
});

/** When the key ends. */
export const setKeyExpiry = defineEndpoint({
  id: "setKeyExpiry",
  method: "PUT",
  path: "/v1/keys/{key_id}/expiry",
  tag: "Keys",
  withinScope: true,
  summary: "Set when a key ends; null or absent: never",
  description: "The end lies in the future; to end a key at once, revoke it.",
  permission: ["approve"],
  // A member that is null reaches no schema: it counts as absent everywhere. So a misspelt one must
  // be refused here, or it would make the key live for ever.
  body: z.strictObject({ expires_at: timestamp.optional() }, {
    error: ({ code }) =>
      code === "unrecognized_keys" ? "expected expires_at and no other member" : undefined,
  }).meta({ id: "KeyExpiryInput" }),
  response: key,
  errors: [...bodyErrors, "not_found", "key_revoked", "key_rotated"],
  example: { expires_at: "2036-01-31T09:00:00Z" },
});
