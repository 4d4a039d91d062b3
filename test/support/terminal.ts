/** The command line in this process, on a terminal that keeps what it was given. */
import { runCommand } from "../../src/cli/run-command.ts";
import { type Terminal, withTerminal } from "../../src/cli/terminal.ts";
import type { Ended } from "./command.ts";

/**
 * Runs `keydesk` with these words and variables to its end, as a process would that finds nobody at
 * its terminal, or, with `width`, somebody at one of so many columns; `input`: what it reads on
 * standard input. One command after the other: SQLite waits for a lock without giving way to
 * whoever holds it in the same thread.
 */
export function runHere(
  words: readonly string[],
  environment: Record<string, string>,
  input = "",
  width?: number,
): Promise<Ended> {
  const ended = last.then(() => run(words, environment, input, width));
  last = ended.then(() => {}, () => {});
  return ended;
}

let last: Promise<void> = Promise.resolve();

async function run(
  words: readonly string[],
  environment: Record<string, string>,
  input: string,
  width: number | undefined,
): Promise<Ended> {
  const said = { stdout: "", stderr: "" };
  const terminal: Terminal = {
    out: (line) => void (said.stdout += `${line}\n`),
    err: (...line) => void (said.stderr += `${line.map(shown).join(" ")}\n`),
    write: (text) => Promise.resolve(void (said.stdout += text)),
    draw: (text) => void (said.stderr += text),
    isErrTerminal: width !== undefined,
    isOutTerminal: width !== undefined,
    isColoured: false,
    outWidth: width ?? 80,
    errWidth: width ?? 80,
    environment,
    input: new Blob([input]).stream(),
    exit: (code) => {
      throw new Exit(code);
    },
  };
  const code = await withTerminal(terminal, () => runCommand(words));
  return { code, ...said };
}

/** Where a command ends at once, nothing behind it may run: none that is called here does so. */
class Exit extends Error {
  constructor(code: number) {
    super(`the command ended at once with ${code}: call it as a process`);
  }
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : Deno.inspect(value);
}
