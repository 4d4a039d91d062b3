import type { z } from "zod";
import type { getExpiries } from "../../src/features/insight/insight.operations.ts";
import { getExpiries as endpoint } from "./endpoints.ts";
import { useCall } from "./queries.ts";

/** The keys and certificates that expire, by time, and the ones that still need action. */
export type Expiries = z.output<typeof getExpiries.response>;

/**
 * One reading for every component on the page: the side bar counts by the answer that Home shows.
 * Read again each `everyMs`.
 */
export function useExpiries(everyMs: number, enabled = true) {
  // A changed certificate makes this read again.
  return useCall(["certificates", "expiries"], endpoint, {}, { refetchInterval: everyMs, enabled });
}
