import { z } from "zod";
import { integer, text } from "../../../contract/values.ts";

/** The answer of `getUsageOfKeys`. */
export const getUsageOfKeysResponse = z.strictObject({
  from: z.iso.date(),
  to: z.iso.date(),
  data: z.array(
    z.strictObject({
      key_id: text,
      success: integer.describe("Allowed calls."),
      error: integer.describe("Calls that were refused."),
      days: z.array(integer).describe("All calls of each of the seven days, the oldest first."),
    }).meta({ id: "CallsOfKey" }),
  ).describe("In the order in which they were requested; of an unknown key: none."),
}).meta({ id: "CallsOfKeys" });
