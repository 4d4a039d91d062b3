import { Failure } from "../../kernel/failure.ts";
import type { Log } from "../../kernel/log.ts";
import { once } from "../../kernel/once.ts";
import type { AlertContext } from "./alert-engine.ts";

/** How often it is looked for what ends: rules are in days. */
const LOOK_MS = 60_000;
/** The first look: whoever starts is not kept from it. */
const FIRST_LOOK_MS = 2000;

/** Looks for what ends until it is stopped. Never rejects. */
export function startAlerts(ctx: AlertContext, log: Pick<Log, "line">): { stop(): void } {
  // Loaded with the first look: a start waits for none of it.
  const engine = once(async () => new (await import("./alert-engine.ts")).AlertEngine(ctx));
  let stopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const turn = async () => {
    try {
      const told = await (await engine()).turn();
      if (told > 0) log.line("info", "ends were told of", { alerts: told });
    } catch (error) {
      // A store that can't be reached now is asked again at the next look; calls tell of it.
      if (!(error instanceof Failure && error.code === "unavailable")) {
        const reason = error instanceof Error ? error.message : String(error);
        log.line("error", "alerts were held up", { reason });
      }
    }
    if (!stopped) timer = setTimeout(turn, LOOK_MS);
  };
  timer = setTimeout(turn, FIRST_LOOK_MS);
  return {
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
