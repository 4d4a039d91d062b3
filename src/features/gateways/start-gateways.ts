import { Failure } from "../../kernel/failure.ts";
import type { Log } from "../../kernel/log.ts";
import { once } from "../../kernel/once.ts";
import { repeatedly } from "../../kernel/repeatedly.ts";
import type { GatewayContext } from "./gateway-context.ts";
import type { GatewayEngine } from "./gateway-engine.ts";
import { hasActive } from "./gateways.store.ts";
import { hasNewKeys } from "./new-keys.store.ts";

/** How long the engine rests when nothing is to be done, in milliseconds. */
const REST_MS = 500;
/** The interval while there is a gateway: a change that closes a key waits no longer. */
const WATCHING_MS = 200;

/**
 * Brings gateways to what is wanted until it is stopped; then the other nodes do so at once. Never
 * rejects.
 */
export function startGateways(
  ctx: GatewayContext,
  log: Pick<Log, "line">,
): { stop(): Promise<void> } {
  // Loaded with the first gateway: a start waits for none of it.
  const engine = once(async () => {
    const { GatewayEngine } = await import("./gateway-engine.ts");
    return made = new GatewayEngine(ctx, (error) => report(log, error));
  });
  let made: GatewayEngine | undefined;
  const turn = async () => {
    try {
      const { reader } = ctx.storage;
      if (!await hasActive(reader) && !await hasNewKeys(reader)) return REST_MS;
      return await (await engine()).turn() ? 0 : WATCHING_MS;
    } catch (error) {
      // A store that can't be reached now is asked again at the next turn; calls tell of it.
      if (!(error instanceof Failure && error.code === "unavailable")) report(log, error);
      return REST_MS;
    }
  };
  const turns = repeatedly(turn, REST_MS);
  return {
    stop: async () => {
      made?.leaves();
      await turns.stop();
      // A store that is away hears nothing: then the right ends by itself.
      await made?.giveBack().catch(() => {});
    },
  };
}

function report(log: Pick<Log, "line">, error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  log.line("error", "a gateway was held up", { reason });
}
