import { createProgram } from "./program.ts";
import { report } from "./report.ts";
import { terminal } from "./terminal.ts";

/**
 * Runs `keydesk` with these words, on this terminal, and returns the exit code; errors are printed
 * there.
 */
export async function runCommand(words: readonly string[]): Promise<number> {
  try {
    const program = await createProgram(words[0]);
    await program.parseAsync(words, { from: "user" });
    return 0;
  } catch (error) {
    const code = report(error);
    if (code === WRONG_USAGE) await sayPresentName(words);
    return code;
  }
}

const WRONG_USAGE = 2;

/** Says what a former command is called now, behind what was wrong with it. */
async function sayPresentName([first = "", second = ""]: readonly string[]): Promise<void> {
  const { presentName } = await import("../contract/former-names.ts");
  const present = presentName("commands", `${first} ${second}`) ?? presentName("commands", first);
  if (present !== undefined) terminal().err(`It is keydesk ${present} since 0.9.0.`);
}
