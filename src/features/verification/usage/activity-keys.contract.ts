import { z } from "zod";
import { integer, timestamp } from "../../../contract/values.ts";

/** The calls of a day, an hour or a month, as the older interface tells them. */
export const keyActivity = z.strictObject({
  id: z.strictObject({
    day: integer.describe("0 in `res=month`."),
    month: integer,
    year: integer,
    hour: integer.describe("0 unless `res=hour`."),
    code: integer.describe("200 if a call was allowed, else the status of most denied calls."),
  }),
  hits: integer,
  success: integer.describe("Allowed calls."),
  error: integer.describe("Calls that were refused: 401, 403 or 429."),
  last_hit: timestamp,
}).meta({ id: "KeyActivity" });

/** Such calls, the oldest first. */
export const keyActivities = z.strictObject({
  data: z.array(keyActivity).describe("The oldest first; without what had no calls."),
  pages: integer,
}).meta({ id: "KeyActivityList" });

/** How counts are put together. */
export const resolutions = ["day", "hour", "month"] as const;
