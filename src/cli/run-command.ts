import { createProgram } from "./program.ts";
import { report } from "./report.ts";

/**
 * Runs `keydesk` with these words, on this terminal, and gives the exit code; what went wrong is
 * told there.
 */
export async function runCommand(words: readonly string[]): Promise<number> {
  try {
    await createProgram().parseAsync(words, { from: "user" });
    return 0;
  } catch (error) {
    return report(error);
  }
}
