import { AsyncLocalStorage } from "node:async_hooks";
import { withCommandName } from "../kernel/command-name.ts";

/**
 * The environment of a command: its output, its input, its settings, and its end. The program's own
 * is the process; a test gives a command another one, and calls it without a process.
 */
export interface Terminal {
  /** Prints what the command found: a line, or several, on standard output. */
  out(line: string): void;
  /**
   * Prints all else on standard error, with our commands as they can be typed here. An error among
   * it is shown with its stack.
   */
  err(...line: unknown[]): void;
  /**
   * Writes to standard output and waits for a slow reader. Rejects with BrokenPipe where the reader
   * is gone.
   */
  write(text: string): Promise<void>;
  /** Writes to standard error as it is, such as a line that is drawn again and again. */
  draw(text: string): void;
  /** A person looks at standard error. */
  readonly isErrTerminal: boolean;
  /** A person looks at standard output. */
  readonly isOutTerminal: boolean;
  /** Whether standard output shows colours. */
  readonly isColoured: boolean;
  /** Columns of standard output and of standard error; 80 where no one looks at it. */
  readonly outWidth: number;
  readonly errWidth: number;
  /** Every variable. */
  readonly environment: Readonly<Record<string, string>>;
  /** Standard input. */
  readonly input: ReadableStream<Uint8Array>;
  /** Ends the program at once, whatever is open. */
  exit(code: number): never;
}

/** The terminal of the command that calls this. */
export function terminal(): Terminal {
  return given.getStore() ?? ofProcess;
}

/** Runs a command, and all that it calls, with its own terminal; others beside it have theirs. */
export function withTerminal<T>(own: Terminal, run: () => T): T {
  return given.run(own, run);
}

const given = new AsyncLocalStorage<Terminal>();

const NO_TERMINAL = 80;

const ofProcess: Terminal = {
  // Not Deno.stdout: the console does not fail where the reader is gone.
  out: (line) => console.log(line),
  err: (...line) =>
    console.error(...line.map((part) => typeof part === "string" ? withCommandName(part) : part)),
  async write(text) {
    const bytes = new TextEncoder().encode(text);
    for (let done = 0; done < bytes.length;) done += await Deno.stdout.write(bytes.subarray(done));
  },
  draw: (text) => void Deno.stderr.writeSync(new TextEncoder().encode(text)),
  get isErrTerminal() {
    return Deno.stderr.isTerminal();
  },
  get isOutTerminal() {
    return Deno.stdout.isTerminal();
  },
  get isColoured() {
    return Deno.stdout.isTerminal() && !Deno.noColor;
  },
  get outWidth() {
    return Deno.stdout.isTerminal() ? Deno.consoleSize().columns : NO_TERMINAL;
  },
  get errWidth() {
    return Deno.stderr.isTerminal() ? Deno.consoleSize().columns : NO_TERMINAL;
  },
  get environment() {
    return Deno.env.toObject();
  },
  get input() {
    return Deno.stdin.readable;
  },
  exit: (code) => Deno.exit(code),
};
