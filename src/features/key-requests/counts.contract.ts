import { z } from "zod";
import { defineEndpoint } from "../../contract/endpoint.ts";

const tag = "Key requests (native)";

/** How many there are. */
export const countKeyRequests = defineEndpoint({
  id: "countKeyRequests",
  method: "GET",
  path: "/v1/key-requests/counts",
  tag,
  summary: "Count key requests by state",
  description: "How many are pending, issued and declined, without reading the lists.",
  permission: ["portal:read"],
  withinElevation: true,
  withinScope: true,
  response: z.strictObject({
    pending: z.int(),
    issued: z.int(),
    declined: z.int(),
    all: z.int(),
  }).meta({ id: "KeyRequestCounts" }),
  errors: [],
});
