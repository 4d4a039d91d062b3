import { fileURLToPath } from "node:url";

/** The variable that names the built program, for the files of a run of tests. */
export const BUILT_PROGRAM = "TEST_PROGRAM";

/**
 * The program that tests start as a process: what a run of many tests built of `src/` before, which
 * starts in half of the time, else TypeScript.
 */
export const mainModule = Deno.env.get(BUILT_PROGRAM) ??
  fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
