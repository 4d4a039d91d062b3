import type { z } from "zod";
import type { getEnds } from "../../src/features/insight/insight.operations.ts";
import { getEnds as endpoint } from "./endpoints.ts";
import { useCall } from "./queries.ts";

/** What ends when, and what of it is still to do. */
export type Ends = z.output<typeof getEnds.response>;

/**
 * The same for everybody on the page: the side bar counts by what Home tells. Asked again each
 * `everyMs`.
 */
export function useEnds(everyMs: number, enabled = true) {
  // Whoever changes a certificate has it read again.
  return useCall(["certificates", "ends"], endpoint, {}, { refetchInterval: everyMs, enabled });
}
