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

/** This very document. */
export const openapi = defineEndpoint({
  id: "openapi",
  method: "GET",
  path: "/openapi.json",
  tag,
  summary: "The interface as an OpenAPI 3.2 document",
  permission: "public",
  response: z.record(z.string(), z.unknown()),
  errors: [],
});

/** The same for tools that do not know OpenAPI 3.2. */
export const openapi31 = defineEndpoint({
  id: "openapi31",
  method: "GET",
  path: "/openapi-3.1.json",
  tag,
  summary: "The interface as an OpenAPI 3.1 document, where PUT stands for UPDATE",
  permission: "public",
  response: z.record(z.string(), z.unknown()),
  errors: [],
});
