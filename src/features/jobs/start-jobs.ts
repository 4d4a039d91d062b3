import type { ServiceContext } from "../../calls/context.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Log } from "../../kernel/log.ts";
import { once } from "../../kernel/once.ts";
import { isAnyUnderWay } from "./jobs.store.ts";

/** How long the engine rests when nothing is to be done, and how many times as long as a turn took when something is. */
const REST_MS = 500;
const REST_FACTOR = 2;

/** Works on jobs until it is stopped. Never rejects. */
export function startJobs(ctx: ServiceContext, log: Pick<Log, "line">): { stop(): void } {
  // Loaded with the first job: a start waits for none of it.
  const engine = once(async () => {
    const { JobEngine } = await import("./job-engine.ts");
    isLoaded = true;
    return new JobEngine(ctx, (error) => tell(log, error));
  });
  let isLoaded = false;
  let stopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const turn = async () => {
    let rest = REST_MS;
    try {
      rest = await oneTurn();
    } catch (error) {
      // A store that can't be reached now is asked again at the next turn; calls tell of it.
      if (!(error instanceof Failure && error.code === "unavailable")) tell(log, error);
    }
    if (!stopped) timer = setTimeout(turn, rest);
  };
  /** How long to rest behind it, in milliseconds. */
  const oneTurn = async () => {
    if (!isLoaded && !await isAnyUnderWay(ctx.storage.reader)) return REST_MS;
    const started = performance.now();
    const { worked, ended } = await (await engine()).turn();
    for (const job of ended) log.line("info", "a job has ended", { ...job });
    return worked ? REST_FACTOR * (performance.now() - started) : REST_MS;
  };
  timer = setTimeout(turn, REST_MS);
  return {
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

function tell(log: Pick<Log, "line">, error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  log.line("error", "a job was held up", { reason });
}
