import { z } from "zod";
import { defineEndpoint } from "../../../contract/endpoint.ts";

/** The map as its door reads it. */
export const fetchMap = defineEndpoint({
  id: "fetchGatewayMap",
  method: "GET",
  path: "/v1/gateways/{id}/map",
  tag: "Gateways",
  summary: "Fetch the map of a gateway of kind `hashes`, in the gateway's form",
  description:
    "Made of what is decided by now, the same at every node: a key that was ended stands in no answer that begins afterwards, whether the gateway is paused or not. `haproxy`: the lines of its map, behind one with the mark. `agentgateway`: the entries alone, for a configuration of yours. It holds hashes, and no key. Fetched each second with `If-None-Match`, an unchanged map is 304 and costs next to nothing. See docs/provisioning.md.",
  permission: ["doors"],
  headers: { "if-none-match": { description: "The `ETag` of the map that the door has." } },
  answerHeaders: { etag: "Another one for each state of the map; absent while very much changes." },
  refusals: { 304: "The door has this map already." },
  refusalHeaders: { etag: "The tag of what the door has." },
  response: z.string(),
  contentTypes: { response: ["text/plain", "application/yaml"] },
  errors: ["not_found"],
});
