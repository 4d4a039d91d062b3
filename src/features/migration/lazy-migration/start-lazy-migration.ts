import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import type { Log } from "../../../kernel/log.ts";
import { once } from "../../../kernel/once.ts";
import { repeatedly } from "../../../kernel/repeatedly.ts";
import type { GatewayContext } from "../../gateways/gateway-context.ts";
import type { MigrationEngine } from "./migration-engine.ts";
import { everySource } from "./lazy-migration.store.ts";

/** How long the engine rests when nothing is to be asked, in milliseconds. */
const REST_MS = 5000;

/**
 * Asks anew about what was learned until it is stopped; then the other nodes do so at once. Never
 * rejects.
 */
export function startLazyMigration(
  ctx: GatewayContext,
  log: Pick<Log, "line">,
): { stop(): Promise<void> } {
  // Loaded with the first gateway that teaches.
  const engine = once(async () => {
    const { MigrationEngine } = await import("./migration-engine.ts");
    return made = new MigrationEngine(ctx);
  });
  let made: MigrationEngine | undefined;
  const turns = repeatedly(async () => {
    try {
      const now = toTimestamp(ctx.clock.now());
      if ((await everySource(ctx.storage.reader, { now })).length === 0) return REST_MS;
      return await (await engine()).turn() ? 0 : REST_MS;
    } catch (error) {
      // A store that can't be reached now is asked again at the next turn; calls tell of it.
      if (!(error instanceof Failure && error.code === "unavailable")) {
        const reason = error instanceof Error ? error.message : String(error);
        log.line("error", "asking anew about learned keys was held up", { reason });
      }
      return REST_MS;
    }
  }, REST_MS);
  return {
    stop: async () => {
      made?.leaves();
      await turns.stop();
      // A store that is away hears nothing: then the right ends by itself.
      await made?.giveBack().catch(() => {});
    },
  };
}
