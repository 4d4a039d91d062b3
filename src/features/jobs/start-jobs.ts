import type { ServiceContext } from "../../calls/context.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Log } from "../../kernel/log.ts";
import { once } from "../../kernel/once.ts";
import { repeatedly } from "../../kernel/repeatedly.ts";
import type { JobEngine } from "./job-engine.ts";
import { isAnyUnderWay } from "./jobs.store.ts";

/** How long the engine rests when nothing is to be done, in milliseconds. */
const REST_MS = 500;
/**
 * The part of a turn's time for which the engine rests after it. On SQLite the rows are decided by
 * another thread than the one that serves, and a remote database does that by itself: writes by
 * others come between two groups of rows, whether the engine rests or not.
 */
const REST_PART = 0.1;

/** Works on jobs until it is stopped; then the other nodes do so at once. Never rejects. */
export function startJobs(ctx: ServiceContext, log: Pick<Log, "line">): { stop(): Promise<void> } {
  // Loaded with the first job: a start waits for none of it.
  const engine = once(async () => {
    const { JobEngine } = await import("./job-engine.ts");
    return made = new JobEngine(ctx, (error) => report(log, error));
  });
  let made: JobEngine | undefined;
  const turn = async () => {
    let rest = REST_MS;
    try {
      rest = await oneTurn();
    } catch (error) {
      // A store that can't be reached now is asked again at the next turn; calls tell of it.
      if (!(error instanceof Failure && error.code === "unavailable")) report(log, error);
    }
    return rest;
  };
  /** How long to rest behind it, in milliseconds. */
  const oneTurn = async () => {
    if (!made && !await isAnyUnderWay(ctx.storage.reader)) return REST_MS;
    const started = performance.now();
    const { worked, ended } = await (await engine()).turn();
    for (const job of ended) log.line("info", "a job has ended", { ...job });
    return worked ? REST_PART * (performance.now() - started) : REST_MS;
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
  log.line("error", "a job was held up", { reason });
}
