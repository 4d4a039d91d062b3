import { addToOutbox } from "../../changes/outbox.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { OWN_LIMITS } from "../keys/key-conditions.ts";
import { NEVER_RENEWED_MS } from "./plan-grants.ts";
import {
  forgetPeriodsBefore,
  giveBack,
  lockUsed,
  type QuotaPeriod,
  setNotified,
  setUsed,
  setUsedUp,
} from "./quotas.store.ts";

/** From this share of a quota on its holder is told that little is left, in per cent. */
const NEARLY = 80;

/** The lease that a node requests. */
interface LeaseOrder {
  place: QuotaPeriod;
  /** The key that calls: events name it, whichever key its quota is counted under. */
  key_id: string;
  /** The period before; older ones are no use to anybody, this one to nodes with a late clock. */
  before: number;
  /** Uses that the node would like to have. */
  wanted: number;
  /** The plan's quota. */
  most: number;
  now: number;
}

/**
 * Gives a node some of a quota to hand out by itself. All that was ever given out of a period stays
 * within the quota, whichever nodes ask at once; what a node that dies had left is lost, never
 * given twice. That a quota is nearly used, or used up, is told in the same transaction, once in
 * its period each: no other look for it is needed, however many keys there are. Since when it is
 * used up is noted, until something of it is given out again.
 */
export const leaseQuota = defineTransaction(
  "verification.lease-quota",
  async (tx, order: LeaseOrder) => {
    const { place, before, wanted, most } = order;
    const { used, told, used_up_at } = await lockUsed(tx, place);
    const granted = Math.max(0, Math.min(wanted, most - used));
    if (granted > 0) await setUsed(tx, { ...place, used: used + granted });
    if (used === 0) await forgetPeriodsBefore(tx, { ...place, period: before });
    // A call found nothing, or took the last one; what was given out beyond that is not handed out
    // yet.
    const isUsedUp = used + granted >= most && granted <= 1;
    const since = isUsedUp ? (granted === 0 && used_up_at) || toTimestamp(order.now) : null;
    if (since !== used_up_at) await setUsedUp(tx, { ...place, used_up_at: since });
    const share = isUsedUp ? 100 : (used + granted) * 100 >= most * NEARLY ? NEARLY : 0;
    if (share > told) await notify(tx, order, share);
    return { granted, used: used + granted };
  },
);

async function notify(tx: Tx, order: LeaseOrder, share: number): Promise<void> {
  const { place, key_id, before, now } = order;
  const { org_id, plan_id, period } = place;
  await setNotified(tx, { ...place, told: String(share) });
  const actor = { org_id, user_id: "verification", token_id: "", now };
  const isRenewed = period - before < NEVER_RENEWED_MS;
  await addToOutbox(tx, actor, {
    topic: share === 100 ? "credential.quota_used" : "credential.quota_nearly_used",
    object_id: key_id,
    detail: {
      ...plan_id === OWN_LIMITS ? {} : { plan_id },
      ...isRenewed ? { begins_anew: toTimestamp(2 * period - before) } : {},
    },
  });
}

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
