import { toTimestamp } from "../../kernel/clock.ts";
import { defineTransaction } from "../../storage/storage.ts";
import { type CanaryRow, KEPT_MS } from "./canary.ts";
import {
  endCanaryRun,
  forgetCanaryRun,
  forgetCanaryRuns,
  insertCanaryRun,
} from "./canary.store.ts";
import { closingOf, findingsOf, findingsText, isLater } from "./closing.ts";
import { lockGateway, updateGateway } from "./gateways.store.ts";

/**
 * Notes a run before its key is made, so that anyone who comes after a crash ends that key; or one
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

/** Notes that a gateway was seen to shut later than was known; `seconds` null: not at all. */
export const noteLater = defineTransaction(
  "gateways.note-later",
  async (tx, { org_id, id, hasQuota, seconds }: {
    org_id: string;
    id: string;
    hasQuota: boolean;
    seconds: number | null;
  }): Promise<null> => {
    const gateway = await lockGateway(tx, { org_id, id });
    if (!gateway) return null;
    const facts = closingOf(gateway);
    if (!isLater(facts, { hasQuota, seconds })) return null;
    const later = { ...facts, [hasQuota ? "quota" : "free"]: seconds };
    await updateGateway(tx, gateway, { findings: findingsText(findingsOf(gateway), later) });
    return null;
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
