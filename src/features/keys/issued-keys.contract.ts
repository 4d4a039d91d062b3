import { z } from "zod";
import { issuedOneTimeLink } from "../../contract/one-time-link.ts";
import { nullable } from "../../contract/v1.ts";
import { text, timestamp } from "../../contract/values.ts";

/** Specification 2.9. The members after Password are there for an OAuth plan only. */
export const approval = z.strictObject({
  RawKey: z.string(),
  Password: z.string(),
  client_id: z.string().optional(),
  secret: z.string().optional(),
  policy_id: z.string().optional(),
  redirect_uri: z.string().optional(),
}).meta({ id: "ClassicApproval" });

/** When a key is to end that is issued now. */
export const chosenEnd = timestamp.optional().meta({
  description: "When the key expires, in the future; absent: as its plans say (`key_expires_in`).",
});

/**
 * A key that took the place of others, shown this once. The members after Password are there for
 * OAuth only.
 */
export const replacement = z.strictObject({
  RawKey: text,
  Password: text,
  client_id: text.optional(),
  secret: text.optional(),
  policy_id: text.optional(),
  redirect_uri: text.optional(),
  key_id: text,
  expires_at: nullable(timestamp),
  replaces: z.array(z.strictObject({ key_id: text, expires_at: timestamp })),
  one_time_link: nullable(issuedOneTimeLink).meta({
    description: "The link that hands the key over; then the members of the key are empty.",
  }),
}).meta({ id: "Replacement" });
