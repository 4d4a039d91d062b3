import type { z } from "zod";
import type { leftOpen } from "./left-open.contract.ts";

/** Approvals that no one can give. */
export type LeftOpen = z.output<typeof leftOpen>;

/** The context of a service that reports the approvals that a change leaves open. */
export interface WithOpenApprovals {
  /** All of an organisation's that no one can give now; `without`: as if this person were gone. */
  openApprovals(org_id: string, without?: string): Promise<LeftOpen>;
}

/** Makes a change, and gives with its answer what no one can approve since. */
export async function leavingOpen<T>(
  { openApprovals }: WithOpenApprovals,
  org_id: string,
  change: () => Promise<T>,
): Promise<{ made: T; left_open: LeftOpen }> {
  const before = await openApprovals(org_id);
  const made = await change();
  return { made, left_open: openedSince(before, await openApprovals(org_id)) };
}

/** The newly open approvals. */
export function openedSince(before: LeftOpen, after: LeftOpen): LeftOpen {
  const plans = new Set(before.plans.map(({ plan }) => plan));
  const requests = new Set(before.key_requests);
  return {
    plans: after.plans.filter(({ plan }) => !plans.has(plan)),
    key_requests: after.key_requests.filter((id) => !requests.has(id)),
  };
}
