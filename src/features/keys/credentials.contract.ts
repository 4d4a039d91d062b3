import { z } from "zod";

/** Specification 2.9. The members after Password are there for an OAuth plan only. */
export const approval = z.strictObject({
  RawKey: z.string(),
  Password: z.string(),
  client_id: z.string().optional(),
  secret: z.string().optional(),
  policy_id: z.string().optional(),
  redirect_uri: z.string().optional(),
}).meta({ id: "Approval" });
