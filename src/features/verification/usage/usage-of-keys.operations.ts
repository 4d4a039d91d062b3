import { z } from "zod";
import { exampleIds } from "../../../contract/example-ids.ts";
import { idsWithCommas } from "../../../contract/values.ts";
import { operation } from "../../../http/operation.ts";
import { getUsageOfKeysResponse } from "./usage-of-keys.contract.ts";
import { usageOfKeys } from "./usage.service.ts";

/** As many keys as a page of a list shows. */
const MOST = 50;

/** How often each of some keys was used. */
export const getUsageOfKeys = operation({
  id: "getUsageOfKeys",
  method: "GET",
  path: "/v1/usage/keys",
  tag: "Use",
  withinScope: true,
  summary: "Count allowed and denied calls of up to 50 keys in the last seven days",
  description:
    "Of today and the six days before, UTC: what a list of keys shows beside each. One key by " +
    "itself, with reasons and any span: `GET /v1/usage`.",
  permission: ["portal:read"],
  query: z.object({
    keys: idsWithCommas(MOST).meta({
      description: "Their ids, 50 at the most, with commas between them.",
      example: exampleIds.key,
    }),
  }),
  response: getUsageOfKeysResponse,
  errors: ["invalid_input"],
  serve: (ctx, { query }) => usageOfKeys(ctx, query.keys),
});
