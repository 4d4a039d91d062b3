import type { ServiceContext } from "../../../calls/context.ts";
import { Failure } from "../../../kernel/failure.ts";
import type { Log } from "../../../kernel/log.ts";
import { repeatedly } from "../../../kernel/repeatedly.ts";
import { TemporaryAccessTimes } from "../../people/temporary-access-times.ts";
import { everyTemporaryAccessUnderWay } from "../../people/temporary-access.store.ts";
import { endIfOver } from "./temporary-access.transactions.ts";

/**
 * How often it is looked for temporary access that is over. It gives nothing from that moment on,
 * whether anybody looks or not: a look tells of it, and keeps the latest time that was seen.
 */
const LOOK_MS = 5000;

type TemporaryAccessContext = Pick<ServiceContext, "storage" | "clock" | "settings">;

/** Ends what is over until it is stopped. Every node looks; the row decides. Never rejects. */
export function startEndingTemporaryAccess(
  ctx: TemporaryAccessContext,
  log: Pick<Log, "line">,
): { stop(): Promise<void> } {
  const times = new TemporaryAccessTimes(ctx.storage);
  return repeatedly(async () => {
    try {
      await endOver(ctx, times);
    } catch (error) {
      // A store that can't be reached now is asked again at the next look; calls tell of it.
      if (!(error instanceof Failure && error.code === "unavailable")) {
        const reason = error instanceof Error ? error.message : String(error);
        log.line("error", "ending temporary access was held up", { reason });
      }
    }
    return LOOK_MS;
  }, LOOK_MS);
}

/** One look; gives how many it ended. */
export async function endOver(
  { storage, clock, settings: { sessionIdleMs: idleMs } }: TemporaryAccessContext,
  times: TemporaryAccessTimes,
): Promise<number> {
  let ended = 0;
  for (const row of await everyTemporaryAccessUnderWay(storage.reader)) {
    const { org_id, id, state } = row;
    const now = clock.now();
    // Nothing is carried on of what waits for a second person: it gives nothing.
    const at = state === "open" ? times.at(row, now) : now;
    if (await storage.commit(endIfOver, { org_id, id, now, at, idleMs })) ended++;
  }
  return ended;
}
