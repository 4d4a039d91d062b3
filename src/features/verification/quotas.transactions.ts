import { defineTransaction } from "../../storage/storage.ts";
import {
  forgetPeriodsBefore,
  giveBack,
  lockUsed,
  type QuotaPeriod,
  setUsed,
} from "./quotas.store.ts";

/** What a node asks for. */
export interface LeaseOrder {
  place: QuotaPeriod;
  /** The period before; older ones are no use to anybody, this one to nodes with a late clock. */
  before: number;
  /** Uses that the node would like to have. */
  wanted: number;
  /** The plan's quota. */
  most: number;
}

/**
 * Gives a node some of a quota to hand out by itself. All that was ever given out of a period stays
 * within the quota, whichever nodes ask at once; what a node that dies had left is lost, never
 * given twice.
 */
export const leaseQuota = defineTransaction(
  "verification.lease-quota",
  async (tx, { place, before, wanted, most }: LeaseOrder) => {
    const used = await lockUsed(tx, place);
    const granted = Math.max(0, Math.min(wanted, most - used));
    if (granted > 0) await setUsed(tx, { ...place, used: used + granted });
    if (used === 0) await forgetPeriodsBefore(tx, { ...place, period: before });
    return { granted, used: used + granted };
  },
);

/**
 * Takes back what nodes were given and did not hand out. Rows must be sorted, so that two nodes
 * can't deadlock.
 */
export const returnQuota = defineTransaction(
  "verification.return-quota",
  async (tx, input: { unspent: { place: QuotaPeriod; left: number }[] }) => {
    for (const { place, left } of input.unspent) await giveBack(tx, { ...place, unspent: left });
  },
);
