import { effort } from "./effort.ts";

/**
 * So long a test waits for what comes for certain. It is no promise of anything: a busy machine may
 * take a minute for what else takes a moment.
 */
export const PATIENCE_MS = 300_000 * effort;

/** Looks at a condition again and again until it holds; fails with `what` when it never does. */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  eachMs = 20,
): Promise<void> {
  const began = performance.now();
  while (!await holds()) {
    if (performance.now() - began > PATIENCE_MS) throw new Error(`waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, eachMs));
  }
}
