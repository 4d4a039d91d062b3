import { z } from "zod";

/** An approval waits no longer for gateways. */
const LONGEST_WAIT_MS = 10_000;

const WAIT = "expected milliseconds from 0 to 10000";

/** The query parameter of what makes a key, and may wait until gateways have it. */
export const waitQuery = {
  wait: z.string().regex(/^\d{1,5}$/, { error: WAIT })
    .meta({ type: "integer", minimum: 0, maximum: LONGEST_WAIT_MS }).transform(Number)
    .refine((ms) => ms <= LONGEST_WAIT_MS, { error: WAIT }).optional()
    .meta({
      description:
        "Milliseconds, 10000 at the most: the answer waits so long until every gateway has the key. Without it nothing waits.",
    }),
};

/** The header of its answer. */
export const PROVISIONED = "x-keydesk-provisioned";

/** The header's meaning. */
export const provisionedHeader = {
  [PROVISIONED]:
    "`delivered`: every gateway has the key and it was read back there; `waiting`: not yet. Absent: there is no gateway, or no key yet.",
} as const;
