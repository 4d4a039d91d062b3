import { terminal } from "./terminal.ts";

const WIDTH = 30;
const REDRAW_MS = 100;

/** A bar on standard error while that is a terminal; elsewhere only the lines that are said. */
export class ProgressBar {
  readonly #total: number;
  readonly #isTerminal = terminal().isErrTerminal;
  #done = 0;
  #drawn = 0;

  constructor(total: number) {
    this.#total = total;
  }

  /** So much more is done. */
  add(amount: number): void {
    this.#done += amount;
    if (this.#isTerminal && performance.now() - this.#drawn > REDRAW_MS) this.#draw();
  }

  /** Prints a line above the bar. */
  say(line: string): void {
    this.#clear();
    terminal().err(line);
  }

  /** Takes the bar away. */
  end(): void {
    this.#clear();
  }

  #draw(): void {
    this.#drawn = performance.now();
    const share = this.#total === 0 ? 1 : Math.min(1, this.#done / this.#total);
    const full = Math.round(share * WIDTH);
    const bar = "█".repeat(full) + "░".repeat(WIDTH - full);
    terminal().draw(`\r${bar} ${Math.floor(share * 100)} %`);
  }

  #clear(): void {
    if (this.#isTerminal) terminal().draw("\r\x1b[K");
  }
}
