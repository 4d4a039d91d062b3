import { createProgram } from "./program.ts";
import { report } from "./report.ts";

/**
 * Runs `keydesk` with these words, on this terminal, and gives the exit code; what went wrong is
 * told there.
 */
export async function runCommand(words: readonly string[]): Promise<number> {
  try {
    const program = await createProgram(words[0]);
    await program.parseAsync(words, { from: "user" });
    return 0;
  } catch (error) {
    return report(error);
  }
}
