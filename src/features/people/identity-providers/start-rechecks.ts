import { Failure } from "../../../kernel/failure.ts";
import type { Log } from "../../../kernel/log.ts";
import { repeatedly } from "../../../kernel/repeatedly.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { dueGrants } from "./provider-grants.store.ts";
import type { RecheckContext } from "./recheck.ts";

/** How often it is looked for sessions whose provider is to be asked again. */
const LOOK_MS = 15_000;

/**
 * Asks providers again whether the accounts of sessions are still good, until it is stopped. Every
 * node looks; the row decides which of them asks. Never rejects.
 */
export function startRechecks(
  ctx: RecheckContext,
  log: Pick<Log, "line">,
): { stop(): Promise<void> } {
  return repeatedly(async () => {
    try {
      const ended = await look(ctx);
      if (ended > 0) log.line("info", "sessions ended by their identity providers", { ended });
    } catch (error) {
      // A store that can't be reached now is asked again at the next look; calls tell of it.
      if (!(error instanceof Failure && error.code === "unavailable")) {
        const reason = error instanceof Error ? error.message : String(error);
        log.line("error", "identity providers were not asked again", { reason });
      }
    }
    return LOOK_MS;
  }, LOOK_MS);
}

/** Loads the module that asks when something is due: most servers never need it. */
async function look(ctx: RecheckContext): Promise<number> {
  const now = toTimestamp(ctx.clock.now());
  const due = await dueGrants(ctx.storage.reader, { now, limit: 1 });
  return due.length === 0 ? 0 : await (await import("./recheck.ts")).recheckDue(ctx);
}
