import { z } from "zod";
import { id, text, timestamp } from "./values.ts";

/** A one-time link that was just made: it is shown this once. */
export const issuedOneTimeLink = z.strictObject({ id, link: text, expires_at: timestamp })
  .meta({ id: "IssuedOneTimeLink" });

export type IssuedOneTimeLink = z.output<typeof issuedOneTimeLink>;

/** How something that is shown once reaches whom it is for. */
export const deliver = z.enum(["one_time_link", "answer"], {
  error: "expected one_time_link or answer",
}).optional()
  .meta({
    description:
      "`one_time_link`: a link that hands the secret over, instead of the secret itself.",
  });

/** Either way. */
export type Delivery = NonNullable<z.output<typeof deliver>>;
