import { z } from "zod";
import { id, text, timestamp } from "./values.ts";

/** A claim link that was just made: it is shown this once. */
export const claimLink = z.strictObject({ id, link: text, expires_at: timestamp })
  .meta({ id: "ClaimLink" });

/** What that is. */
export type ClaimLink = z.output<typeof claimLink>;

/** How something that is shown once reaches whom it is for. */
export const deliver = z.enum(["claim", "answer"], { error: "expected claim or answer" }).optional()
  .meta({ description: "`claim`: a link that hands the credential over, instead of itself." });

/** Either way. */
export type Delivery = NonNullable<z.output<typeof deliver>>;
