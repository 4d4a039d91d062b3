import { z } from "zod";
import { defineEndpoint } from "../contract/endpoint.ts";

/** What monitors of the original ask. */
export const hello = defineEndpoint({
  id: "hello",
  method: "GET",
  path: "/hello",
  tag: "Operations",
  summary: "The store answers, in the words of the original; 503 with `fail` when it does not",
  description: "For clients of the older interface.",
  permission: "public",
  response: z.strictObject({
    status: z.enum(["pass", "fail"]),
    version: z.string().meta({ description: "The major version alone." }),
    description: z.literal("Keydesk"),
  }).meta({ id: "Hello" }),
  errors: [],
});
