import { z } from "zod";
import { pageNumber } from "../../../contract/envelope.ts";
import { operation } from "../../../http/operation.ts";
import { keyActivities, resolutions } from "./activity-keys.contract.ts";
import { keysActivity } from "./activity-keys.service.ts";

/** The common parts of both forms. */
const activity = {
  method: "GET",
  tag: "Use",
  permission: ["portal:read"],
  query: z.object({
    // A name of its own: a generator would call it as it calls the answer.
    res: z.enum(resolutions, { error: "expected day, hour or month" })
      .meta({ id: "ActivityResolution" }).default("day")
      .describe("The group of a row. Days begin at midnight UTC."),
    p: pageNumber.meta({ description: "Page from 1; absent or below 1: everything." }),
  }),
  response: keyActivities,
  errors: ["invalid_input"],
} as const;

const DAYS = "{from_day}/{from_month}/{from_year}/{to_day}/{to_month}/{to_year}";

/** How often several keys were used together. */
export const getKeysActivity = operation({
  ...activity,
  id: "getKeysActivity",
  path: `/api/activity/keys/aggregate/{keys}/${DAYS}`,
  withinScope: true,
  otherPaths: [`/api/activity/keys/aggregate//${DAYS}`],
  keyParameter: "keys",
  summary: "How often several keys were used, from one day to another: ids separated by commas",
  description:
    "As verification counted it, by `res`: hour, day or month. Empty entries are allowed.",
  serve: (ctx, { params, query }) =>
    keysActivity(ctx, (params.keys ?? "").split(","), params, query),
});

/** How often a key was used. */
export const getKeyActivity = operation({
  ...activity,
  id: "getKeyActivity",
  path: `/api/activity/keys/{hash}/${DAYS}`,
  withinScope: true,
  keyParameter: "hash",
  summary: "How often a key was used, from one day to another",
  description: "As verification counted it, by `res`: hour, day or month.",
  serve: (ctx, { params, query }) => keysActivity(ctx, [params.hash], params, query),
});
