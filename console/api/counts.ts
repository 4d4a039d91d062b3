import { countKeyRequests } from "./endpoints.ts";
import { useCall } from "./queries.ts";
import { may, session } from "./session.ts";

/** The key of the counts in `queries`. */
export const COUNTS = ["key-requests", "counts"];

const EVERY_MS = 10_000;

/** How many key requests there are by state; undefined while unknown. */
export function useCounts() {
  return useCountsQuery().data;
}

/** The counts with their error; read again every ten seconds while the page is visible. */
export function useCountsQuery() {
  return useCall(COUNTS, countKeyRequests, {}, {
    refetchInterval: EVERY_MS,
    // Not one answer after the other: while it is unknown, the server decides.
    enabled: session.value === "unknown" || may("portal:read"),
  });
}
