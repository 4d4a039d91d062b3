import { z } from "zod";
import { timestamp } from "../../contract/values.ts";

/** Specification 2.9. The members after Password are there for an OAuth plan only. */
export const approval = z.strictObject({
  RawKey: z.string(),
  Password: z.string(),
  client_id: z.string().optional(),
  secret: z.string().optional(),
  policy_id: z.string().optional(),
  redirect_uri: z.string().optional(),
}).meta({ id: "Approval" });

/** When a key is to end that is issued now. */
export const chosenEnd = timestamp.optional().meta({
  description: "When the key ends, in the future; absent: as its plans say (`key_expires_in`).",
});
