import { z } from "zod";
import { nullable } from "../../contract/v1.ts";
import { integer, text, timestamp } from "../../contract/values.ts";

export const took = {
  opened_ms: nullable(integer).meta({
    description: "Milliseconds until the key opened; null: it did not within 15 seconds.",
  }),
  shut_ms: nullable(integer).meta({
    description:
      "Milliseconds from its end until it did not open any more; null: it went on for 15 seconds, or never opened.",
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
      "`called`: by calls of `probe_url`. `read`: by reading a key back, where there is none, or calls are observed. `not_tried`: no file and no map that is fetched has the canary.",
  }),
  runs: integer.meta({ description: "Of the last hour: one a minute." }),
  last: nullable(run),
  median: nullable(z.strictObject(took)).meta({ description: "Of the last hour." }),
}).meta({ id: "Canary" });

/** The answer of `listCanaryRuns`. */
export const canaryRunList = z.strictObject({ data: z.array(run) }).meta({ id: "CanaryRunList" });

/** The result of a comparison with everything that the gateway lists. */
export const reconciled = z.strictObject({
  compared: integer.meta({ description: "Keys that stand there, or did, by what was decided." }),
  missing: integer.meta({ description: "Of these, not listed there although they open." }),
  returned: integer.meta({ description: "Of these, listed there although they were ended." }),
  foreign: integer.meta({ description: "Listed there, and nobody decided them here." }),
  foreign_names: z.array(text).meta({
    description: "Of the first 100 what the gateway calls them. They are never touched.",
  }),
  dry_run: z.boolean(),
});
