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
  description: "For a supervisor: a process that does not answer is to be started again.",
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
  description: "For a load balancer: calls are sent to a node that answers 200.",
  permission: "public",
  response: envelope,
  errors: [],
});
