import { Failure } from "../../kernel/failure.ts";
import type { Statement } from "../statement.ts";
import type { StoreSigns } from "../storage.ts";

/** So many reads are kept to be tried again. */
const MOST_KEPT = 100;

/**
 * Reads that met a damaged page. A disk that did not answer once reads the same (EIO is
 * SQLITE_CORRUPT to SQLite's readers), so each is tried again at once, and what fails twice again
 * later: the damage is over when all of it can be read. A change can't be tried again so: what it
 * met counts until the store is closed.
 */
export class DoubtfulReads {
  readonly #signs: Pick<StoreSigns, "damaged" | "whole">;
  readonly #kept = new Map<string, () => unknown>();
  #isCertain = false;

  constructor(signs: Pick<StoreSigns, "damaged" | "whole">) {
    this.#signs = signs;
  }

  /**
   * The answer to the question, at the second attempt at the latest. `name`: equal questions have
   * equal names.
   */
  async read<T>(name: () => string, question: () => Promise<T>): Promise<T> {
    try {
      return await question();
    } catch (error) {
      if (!isDamage(error)) throw error;
    }
    try {
      return await question();
    } catch (error) {
      if (isDamage(error)) this.#note(error, name(), question);
      throw error;
    }
  }

  /** Notes what a question met that was asked elsewhere. */
  noteRead(error: unknown, name: string, question: () => unknown): void {
    if (isDamage(error)) this.#note(error, name, question);
  }

  /** Notes what a change met. */
  noteChange(error: unknown): void {
    if (!isDamage(error)) return;
    this.#isCertain = true;
    this.#signs.damaged(reasonOf(error));
  }

  /** Asks again what failed. Tells of it once all is answered. Throws what is no damage. */
  async lookAgain(): Promise<void> {
    if (this.#kept.size === 0) return;
    for (const [name, question] of [...this.#kept]) {
      try {
        await question();
        this.#kept.delete(name);
      } catch (error) {
        if (!isDamage(error)) throw error;
      }
    }
    if (this.#kept.size === 0 && !this.#isCertain) this.#signs.whole();
  }

  #note(error: Failure, name: string, question: () => unknown): void {
    this.#signs.damaged(reasonOf(error));
    if (this.#kept.size < MOST_KEPT || this.#kept.has(name)) this.#kept.set(name, question);
    else this.#isCertain = true;
  }
}

/** The name of a statement's question: the same for the same parameters. */
export function questionName(statement: Statement<never, unknown>, params: object): string {
  let number = numbers.get(statement);
  if (number === undefined) numbers.set(statement, number = ++last);
  return `${number} ${JSON.stringify(params)}`;
}

const numbers = new WeakMap<object, number>();
let last = 0;

/** Whether an error says that a page is damaged. */
export function isDamage(error: unknown): error is Failure {
  return error instanceof Failure && error.code === "store_damaged";
}

/** In the engine's words. */
function reasonOf({ cause, message }: Failure): string {
  return cause instanceof Error ? cause.message : String(cause ?? message);
}
