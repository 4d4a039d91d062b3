import { z } from "zod";
import { countedReasons } from "../../../contract/denied-calls.ts";
import { nullable } from "../../../contract/v1.ts";
import { id, integer, timestamp } from "../../../contract/values.ts";

/** The counters of calls. */
const counts = {
  hits: integer.describe("All calls of keys that are known; of gateways, of other keys too."),
  success: integer.describe("Allowed ones."),
  error: integer.describe("Those that were refused, whose reasons follow."),
  refused: z.strictObject({
    401: integer.describe("The key was revoked, suspended or had expired."),
    403: integer.describe("None of its plans was valid for the API."),
    429: integer.describe("Over the rate or the quota."),
  }),
  reasons: z.array(
    z.strictObject({
      reason: z.enum(countedReasons).describe(
        "As the result names it; `unknown` and `unsure`, which is 503 and no result, of gateways alone.",
      ),
      calls: integer,
    }).meta({ id: "DeniedCallCount" }),
  ).describe("Those that were refused by reason, the most frequent first; none of older counts."),
};

/** The calls of one hour or day. */
const usageSlot = z.strictObject({
  at: timestamp.describe("When it begins."),
  ...counts,
  last_hit: timestamp,
}).meta({ id: "UsageSlot" });

/** Spans that end now. */
const spans = ["hour", "day", "week", "month", "quarter", "year"] as const;

/** One of two spans that are compared. */
const comparedCounts = z.strictObject({
  since: timestamp,
  until: timestamp,
  hits: counts.hits,
  success: counts.success,
  error: counts.error,
}).meta({ id: "ComparedUsage" });

const date = z.iso.date({ error: "expected a day such as 2026-01-31" });

/** The query of usage. */
export const usageQuery = z.object({
  key: id.optional().meta({ description: "Only of the key with this id." }),
  plan: id.optional().meta({ description: "Only calls that went by this plan." }),
  developer: id.optional().meta({ description: "Only of this developer's keys." }),
  api: id.optional().meta({ description: "Only calls of this API." }),
  gateway: id.optional().meta({
    description:
      "Only calls through the gateway of this name, of unknown keys too; `other`: through unknown ones; `all`: through any.",
  }),
  from: date.optional().meta({ description: "The first day, UTC; 29 days before the last." }),
  to: date.optional().meta({ description: "The last day, UTC; today." }),
  by: z.enum(["day", "hour"], { error: "expected day or hour" }).default("day")
    .describe("The group of a row."),
  last: z.enum(spans, { error: `expected ${spans.join(" or ")}` }).optional().meta({
    description:
      "In the place of `from` and `to`: the last so many whole hours (1, 24) or days (7, 30, 90, 365), and the present one so far. An hour and a day are always given by hour.",
  }),
}).refine(
  ({ from, to, last }) => last === undefined || (from === undefined && to === undefined),
  { path: ["last"], error: "expected either last, or from and to" },
).refine(
  ({ key, plan, developer, api, gateway }) =>
    key !== undefined
      ? developer === undefined && gateway === undefined
      : gateway !== undefined
      ? plan === undefined && developer === undefined
      : [plan, developer, api].filter((one) => one !== undefined).length <= 1,
  {
    path: ["key"],
    error: "expected one of key, plan, developer, api and gateway; beside key also plan and api, " +
      "beside gateway also api",
  },
);

/** The answer of `getUsage`. */
export const getUsageResponse = z.strictObject({
  by: z.enum(["day", "hour"]),
  from: z.iso.date(),
  to: z.iso.date(),
  since: timestamp.describe("When the first hour or day begins."),
  until: timestamp.describe("The end of the last one."),
  data: z.array(usageSlot).describe("The oldest first; without what had no calls."),
  total: z.strictObject({ ...counts, last_hit: nullable(timestamp) }),
  compared: nullable(z.strictObject({ now: comparedCounts, before: comparedCounts })).describe(
    "The whole hours or days of these, and as many right before them; null: there are none, or those before are no longer kept.",
  ),
}).meta({ id: "Usage" });
