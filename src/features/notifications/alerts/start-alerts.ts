import { Failure } from "../../../kernel/failure.ts";
import type { Log } from "../../../kernel/log.ts";
import { once } from "../../../kernel/once.ts";
import { repeatedly } from "../../../kernel/repeatedly.ts";
import type { AlertContext, AlertEngine } from "./alert-engine.ts";

/** How often it is looked for what ends: rules are in days. */
const LOOK_MS = 60_000;
/** The first look: anyone who starts is not kept from it. */
const FIRST_LOOK_MS = 2000;

/** Looks for what ends until it is stopped; then the other nodes do so at once. Never rejects. */
export function startAlerts(ctx: AlertContext, log: Pick<Log, "line">): { stop(): Promise<void> } {
  // Loaded with the first look: a start waits for none of it.
  let made: AlertEngine | undefined;
  const engine = once(async () => made = new (await import("./alert-engine.ts")).AlertEngine(ctx));
  const turn = async () => {
    try {
      const reported = await (await engine()).turn();
      if (reported > 0) log.line("info", "ends were told of", { alerts: reported });
    } catch (error) {
      // A store that can't be reached now is asked again at the next look; calls tell of it.
      if (!(error instanceof Failure && error.code === "unavailable")) {
        const reason = error instanceof Error ? error.message : String(error);
        log.line("error", "alerts were held up", { reason });
      }
    }
    return LOOK_MS;
  };
  const turns = repeatedly(turn, FIRST_LOOK_MS);
  return {
    stop: async () => {
      made?.leaves();
      await turns.stop();
      // A store that is away hears nothing: then the right ends by itself.
      await made?.giveBack().catch(() => {});
    },
  };
}
