import { toTimestamp } from "../../kernel/clock.ts";
import { defineTransaction } from "../../storage/storage.ts";
import { type CanaryRow, KEPT_MS } from "./canary.ts";
import {
  endCanaryRun,
  forgetCanaryRun,
  forgetCanaryRuns,
  insertCanaryRun,
} from "./canary.store.ts";
import { lockGateway } from "./gateways.store.ts";

/**
 * Notes a run before its key is made, so that whoever comes after a crash ends that key; or one
 * that came to nothing. Runs that are older than a day go. False: the gateway was removed.
 */
export const noteCanaryRun = defineTransaction(
  "gateways.note-canary-run",
  async (tx, { run, now }: { run: CanaryRow; now: number }): Promise<boolean> => {
    const { org_id, gateway_id } = run;
    if (!await lockGateway(tx, { org_id, id: gateway_id })) return false;
    await forgetCanaryRuns(tx, { org_id, gateway_id, up_to: toTimestamp(now - KEPT_MS) });
    await insertCanaryRun(tx, run);
    return true;
  },
);

/** Notes how a run ended, or forgets it: its key is ended. */
export const settleCanaryRun = defineTransaction(
  "gateways.settle-canary-run",
  async (tx, { org_id, gateway_id, at, took }: {
    org_id: string;
    gateway_id: string;
    at: string;
    took: { opened_ms: number; shut_ms: number } | null;
  }): Promise<null> => {
    const place = { org_id, gateway_id, at };
    if (took) await endCanaryRun(tx, { ...place, ...took });
    else await forgetCanaryRun(tx, place);
    return null;
  },
);
