import { OperatorError, reasonOf } from "./operator-error.ts";
import { terminal } from "./terminal.ts";

/**
 * Writes to standard output and waits for a slow reader, so that a long list takes no memory. Ends
 * the process quietly where the reader has seen enough (`| head`).
 */
export async function print(text: string): Promise<void> {
  try {
    await terminal().write(text);
  } catch (error) {
    if (error instanceof Deno.errors.BrokenPipe) terminal().exit(0);
    throw error;
  }
}

/**
 * Writes what is shown once. Throws OperatorError where no one can have read it: unlike the rest of
 * a list it must not be lost without a word. `remedy`: how to come by another one.
 */
export async function deliver(text: string, remedy: string): Promise<void> {
  try {
    await terminal().write(text);
  } catch (error) {
    const reason = error instanceof Deno.errors.BrokenPipe ? "its reader is gone" : reasonOf(error);
    throw new OperatorError(
      `the key was issued, but could not be written to standard output (${reason}); ${remedy}`,
      { cause: error },
    );
  }
}
