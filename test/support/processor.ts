import { cpuUsage } from "node:process";

/**
 * Milliseconds of a processor that this process has taken, with all of its threads. Unlike the
 * clock it stands still while others have the processor.
 */
export function processorMs(): number {
  const { user, system } = cpuUsage();
  return (user + system) / 1000;
}

/**
 * Milliseconds of a processor that some work takes: the least of so many runs, since whatever else
 * this process does only adds to it.
 */
export async function leastProcessorMs(
  runs: number,
  work: () => Promise<unknown> | unknown,
): Promise<number> {
  let least = Infinity;
  for (let run = 0; run < runs; run++) {
    const before = processorMs();
    await work();
    least = Math.min(least, processorMs() - before);
  }
  return least;
}
