import { z } from "zod";
import { defineEndpoint } from "../contract/endpoint.ts";
import { envelope } from "../contract/envelope.ts";

const tag = "Operations";

/** The process is alive. */
export const healthz = defineEndpoint({
  id: "healthz",
  method: "GET",
  path: "/healthz",
  tag,
  summary: "The process answers",
  permission: "public",
  response: envelope,
  errors: [],
});

/** What monitors of the original ask. */
export const hello = defineEndpoint({
  id: "hello",
  method: "GET",
  path: "/hello",
  tag,
  summary: "The store answers, in the words of the original; 503 with `fail` when it does not",
  permission: "public",
  response: z.strictObject({
    status: z.enum(["pass", "fail"]),
    version: z.string().meta({ description: "The major version alone." }),
    description: z.literal("Keydesk"),
  }).meta({ id: "Hello" }),
  errors: [],
});

/** The store answers too. */
export const readyz = defineEndpoint({
  id: "readyz",
  method: "GET",
  path: "/readyz",
  tag,
  summary: "The store answers; 503 when it does not",
  permission: "public",
  response: envelope,
  errors: [],
});
