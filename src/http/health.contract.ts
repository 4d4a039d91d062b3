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
