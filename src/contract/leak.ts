import { z } from "zod";
import { nullable } from "./v1.ts";
import { text, timestamp } from "./values.ts";

/** That something was reported as leaked, as it is shown with it: the first report counts. */
export const leak = z.strictObject({
  reported_at: timestamp,
  reported_by: text.meta({
    description:
      "`anybody`, or `partner` and the identifier of the public key that the report was signed with.",
  }),
  url: nullable(text).meta({
    description: "The place of the find, as the reporter states it; never follow it unseen.",
  }),
}).meta({ id: "LeakMark" });

/** The report, or null if there is none. */
export const leaked = nullable(leak).meta({
  description: "When it was reported as leaked, and by whom; null: it was not.",
});

/** The things that can leak. */
export const leakObjects = ["key", "access_token"] as const;

/** The states of a leak report. */
export const leakStates = ["open", "rotated", "revoked", "ended", "false_positive"] as const;

/** One of them. */
export type LeakState = typeof leakStates[number];
