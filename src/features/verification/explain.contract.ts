import { z } from "zod";
import { denialReasons } from "../../contract/denied-calls.ts";
import { nullable } from "../../contract/v1.ts";
import { id, text } from "../../contract/values.ts";

/** The checks of a gateway, in their order. */
export const checkSteps = [
  "key",
  "state",
  "end",
  "address",
  "plan",
  "api",
  "rate",
  "quota",
] as const;

const limit = z.strictObject({
  limit: z.number(),
  per_seconds: nullable(z.number()).describe("Null: it is never renewed."),
  remaining: z.int().describe("As far as the node that answers knows."),
}).meta({ id: "CheckLimit" });

/** The result that a gateway would get. */
export const checkedKey = z.strictObject({
  valid: z.boolean(),
  reason: nullable(z.enum(denialReasons)).describe("Null: it would be allowed."),
  key_id: nullable(text).describe("Null: the key is unknown."),
  steps: z.array(
    z.strictObject({
      step: z.enum(checkSteps),
      result: z.enum(["passed", "refused", "not_reached"]),
    }).meta({ id: "CheckStep" }),
  ).describe("Checks of a gateway, in order, up to the one that denies."),
  plans: z.array(text).describe("The key's plans that are in force."),
  plan_id: nullable(text).describe("The plan that the call would go by."),
  valid_for: nullable(z.array(text)).describe(
    "The APIs for which its plans are valid; null: all of them.",
  ),
  expires_at: nullable(z.iso.datetime()),
  rate: nullable(limit).describe("Null: there is none, or it is not reached."),
  quota: nullable(limit).describe("Null: there is none, or it is not reached."),
}).meta({ id: "KeyCheck" });

/** The key to check. */
export const keyToCheck = z.object({
  key: z.string().min(1).max(4096).optional().describe("A key, or an OAuth access token."),
  key_id: id.optional().describe("The key by its id."),
  api_id: z.string().min(1).max(255).optional().describe("The API that is called; absent: any."),
  address: z.string().min(1).max(64).optional().describe(
    "The visitor's IP address, also with a port or in brackets, for keys that are valid for some addresses alone.",
  ),
}).refine(({ key, key_id }) => (key === undefined) !== (key_id === undefined), {
  error: "expected either key or key_id",
}).meta({ id: "KeyCheckInput" });
