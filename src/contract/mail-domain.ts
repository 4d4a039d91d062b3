import { z } from "zod";

/** The domain of an e-mail address, in lower case. */
export const domain = z.string().trim().toLowerCase().max(253)
  .regex(/^(?=.{3,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/, {
    error: "expected a domain such as example.org",
  });
