import { processorMs } from "./processor.ts";

/** So much of a processor is taken to find out. */
const TAKEN_MS = 200;

/**
 * How many times longer work takes on this machine now than it takes of a processor: 1 where it
 * never waits for one.
 */
export function slowness(): number {
  const [began, before] = [performance.now(), processorMs()];
  while (processorMs() - before < TAKEN_MS);
  return Math.max(1, (performance.now() - began) / TAKEN_MS);
}
