import { z } from "zod";
import { nullable } from "../../contract/v1.ts";
import { integer, text } from "../../contract/values.ts";

/** For how many seconds keys may still open there behind their end. */
const late = z.strictObject({
  without_quota: nullable(integer),
  with_quota: nullable(integer).meta({
    description: "Of keys whose plans have a quota; null: as long as calls with them go on.",
  }),
});

/** How late a gateway shuts. */
export const closing = nullable(z.strictObject({
  version: text.meta({ description: "What it says of itself; empty: nothing." }),
  cache: z.enum(["on", "not_seen", "not_tried"]).meta({
    description:
      "Its session cache. `on`: a call was let in although the key was read as gone. `not_seen`: none was. `not_tried`: there is no `probe_url`.",
  }),
  revoked: late,
  suspended: late,
})).meta({
  description:
    "For how many seconds a key may still open there behind its end, as the last check measured it; until then the worst that is known of its version. Null of kind `hashes`.",
});
