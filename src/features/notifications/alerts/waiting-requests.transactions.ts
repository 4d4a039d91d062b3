import { defineTransaction } from "../../../storage/storage.ts";
import { type WorkedOff, workOffDue } from "../../key-requests/expiry.transactions.ts";
import { alertLease } from "./alerts.store.ts";

/**
 * Does what is due of an organisation's requests that wait, a batch at the most: see workOffDue.
 * Nothing while another node does it.
 */
export const endWaitingRequests = defineTransaction(
  "alerts.end-waiting-requests",
  async (
    tx,
    { org_id, holder, now }: { org_id: string; holder: string; now: number },
  ): Promise<WorkedOff> => {
    if (!await alertLease.take(tx, holder, now)) return { reminded: 0, ended: 0, more: false };
    return await workOffDue(tx, { org_id, now });
  },
);
