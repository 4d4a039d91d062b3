import { z } from "zod";
import { nullable } from "../../../contract/v1.ts";
import { integer, text, timestamp } from "../../../contract/values.ts";

/** The view of the map of a gateway that goes by hashes of keys. */
export const mapView = z.strictObject({
  api: text,
  socket: text,
  files: z.array(text).meta({ description: "The names of the files in `KEYDESK_GATEWAY_FOLDER`." }),
  reload_seconds: nullable(integer).meta({ description: "As it was written; null: not known." }),
  readers: z.array(z.strictObject({
    token_id: text,
    up_to: nullable(timestamp).meta({
      description: "Its map has what was decided until then; null: it has not said so yet.",
    }),
    seen_at: timestamp.meta({ description: "When it last fetched, to the minute." }),
  })).meta({
    description:
      "The proxies that fetch the map, by their access tokens; without those whose token was revoked.",
  }),
});

/** The settings of the map as they are written. */
export const writtenMap = z.object({
  api: text.max(255).default("").meta({
    description:
      "The API behind it: keys whose plans are not valid for it are left out; empty: any.",
  }),
  socket: text.max(255).regex(/^(unix|fetched|(localhost|127\.0\.0\.1|\[::1\]):[1-9]\d{0,4})?$/, {
    error: "expected unix, fetched, or a port of this machine such as 127.0.0.1:9999",
  }).default("").meta({
    description:
      "The address of HAProxy's commands: `unix`, or a port of this machine that `KEYDESK_OUTBOUND` names; empty: only its file is written; `fetched`: no file is written, the proxy fetches its map.",
  }),
  reload_seconds: nullable(z.int().min(1).max(604_800)).default(null).meta({
    description:
      "With an empty `socket`: within so many seconds its proxy reads the file again. Until then a revoked key may be valid at it. Null: not known, so it may be valid without limit.",
  }),
});
