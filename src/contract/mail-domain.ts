import { z } from "zod";

/** What an e-mail address ends with, in lower case. */
export const domain = z.string().trim().toLowerCase().max(253)
  .regex(/^(?=.{3,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/, {
    error: "expected a domain such as example.org",
  });
