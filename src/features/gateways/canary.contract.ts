import { z } from "zod";
import { nullable } from "../../contract/v1.ts";
import { integer, text, timestamp } from "../../contract/values.ts";

export const took = {
  valid_after_ms: nullable(integer).meta({
    description: "Milliseconds until the key was valid; null: it was not within 15 seconds.",
  }),
  invalid_after_ms: nullable(integer).meta({
    description:
      "Milliseconds from its revocation until it was no longer valid; null: it stayed valid for 15 seconds, or never was valid.",
  }),
};

const run = z.strictObject({
  at: timestamp,
  how: nullable(z.enum(["called", "read"])).meta({
    description:
      "`called`: an API behind the gateway was called with it. `read`: it was read back alone. null: none could be made.",
  }),
  ...took,
}).meta({ id: "CanaryRun" });

/** How long a gateway takes to open to a key and to shut. */
export const canary = z.strictObject({
  tried: z.enum(["called", "read", "not_tried"]).meta({
    description:
      "`called`: by calls of `probe_url`. `read`: by reading a key back, if there is none, or in shadow mode. `not_tried`: no file and no fetched map has the canary.",
  }),
  runs: integer.meta({ description: "Of the last hour: one a minute." }),
  last: nullable(run),
  median: nullable(z.strictObject(took)).meta({ description: "Of the last hour." }),
}).meta({ id: "Canary" });

/** The answer of `listCanaryRuns`. */
export const canaryRunList = z.strictObject({ data: z.array(run) }).meta({ id: "CanaryRunList" });

/** The result of a comparison with everything that the gateway lists. */
export const reconciled = z.strictObject({
  compared: integer.meta({ description: "Keys that are at the gateway, or were, by decision." }),
  missing: integer.meta({
    description: "Of these, keys that are valid though not listed at the gateway.",
  }),
  returned: integer.meta({
    description: "Of these, keys that are listed at the gateway though they were revoked.",
  }),
  foreign: integer.meta({ description: "Listed at the gateway, and not decided in Keydesk." }),
  foreign_names: z.array(text).meta({
    description: "Of the first 100 what the gateway calls them. They are never touched.",
  }),
  dry_run: z.boolean(),
});
