import { z } from "zod";
import { defineEndpoint } from "../../contract/endpoint.ts";
import { pageNumber } from "../../contract/envelope.ts";
import { integer, timestamp } from "../../contract/values.ts";

/** The calls of a day, an hour or a month, as the older interface tells them. */
export const keyActivity = z.strictObject({
  id: z.strictObject({
    day: integer.describe("0 in `res=month`."),
    month: integer,
    year: integer,
    hour: integer.describe("0 unless `res=hour`."),
    code: integer.describe("200 where a call was let in, else what most calls were refused with."),
  }),
  hits: integer,
  success: integer.describe("Calls that were let in."),
  error: integer.describe("Calls that were refused: 401, 403 or 429."),
  last_hit: timestamp,
}).meta({ id: "KeyActivity" });

/** How counts are put together. */
export const resolutions = ["day", "hour", "month"] as const;

/** What both forms have in common. */
const activity = {
  method: "GET",
  tag: "Use",
  permission: ["portal:read"],
  query: z.object({
    // A name of its own: a generator would call it as it calls the answer.
    res: z.enum(resolutions, { error: "expected day, hour or month" })
      .meta({ id: "ActivityResolution" }).default("day")
      .describe("What a row is of. Days begin at midnight UTC."),
    p: pageNumber.meta({ description: "Page from 1; absent or below 1: everything." }),
  }),
  response: z.strictObject({
    data: z.array(keyActivity).describe("The oldest first; without what had no calls."),
    pages: integer,
  }).meta({ id: "KeyActivityList" }),
  errors: ["invalid_input"],
} as const;

const DAYS = "{from_day}/{from_month}/{from_year}/{to_day}/{to_month}/{to_year}";

/** How often several keys were used together. */
export const getKeysActivity = defineEndpoint({
  ...activity,
  id: "getKeysActivity",
  path: `/api/activity/keys/aggregate/{keys}/${DAYS}`,
  withinScope: true,
  otherPaths: [`/api/activity/keys/aggregate//${DAYS}`],
  keyParameter: "keys",
  summary: "How often several keys were used, from one day to another: ids separated by commas",
  description:
    "As verification counted it, by `res`: hour, day or month. Empty entries are allowed.",
});

/** How often a key was used. */
export const getKeyActivity = defineEndpoint({
  ...activity,
  id: "getKeyActivity",
  path: `/api/activity/keys/{hash}/${DAYS}`,
  withinScope: true,
  keyParameter: "hash",
  summary: "How often a key was used, from one day to another",
  description: "As verification counted it, by `res`: hour, day or month.",
});
