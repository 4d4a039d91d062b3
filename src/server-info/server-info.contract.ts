import { z } from "zod";
import { defineEndpoint } from "../contract/endpoint.ts";
import { text } from "../contract/values.ts";

/** What runs here. */
export const serverInfo = z.strictObject({
  version: text,
  engine: z.enum(["sqlite", "postgres"]),
  schema_version: z.int(),
  uptime_seconds: z.int(),
  settings: z.strictObject({
    page_size: z.int(),
    references: z.enum(["open", "strict"]),
    mask_secrets: z.boolean(),
    certs_filter: z.enum(["detailed", "always"]),
  }),
}).meta({ id: "ServerInfo" });

/** What an administrator may know of the server. */
export const getServerInfo = defineEndpoint({
  id: "getServerInfo",
  method: "GET",
  path: "/v1/server",
  tag: "Operations",
  summary: "Version, engine, schema, uptime, and the settings that answers depend on",
  permission: ["admin"],
  response: serverInfo,
  errors: [],
});
