import { setImmediate } from "node:timers/promises";

/** For how long one piece of work keeps everybody else waiting, in milliseconds. */
const SLICE_MS = 4;

/**
 * Long work in slices: between two of them everything else that waits gets its turn, calls that
 * arrived meanwhile too. Only a timer lets those in: `setImmediate` lets other work have its turn
 * without asking the system what has come.
 */
export class TimeSlices {
  #endsAt = performance.now() + SLICE_MS;

  /** To be awaited wherever the work can pause. It waits only where the slice is used up. */
  async pause(): Promise<void> {
    if (performance.now() < this.#endsAt) return;
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.#endsAt = performance.now() + SLICE_MS;
  }

  /** Gives other work a turn between pieces that an engine may have answered at once. */
  async next(): Promise<void> {
    if (performance.now() < this.#endsAt) await setImmediate();
    else await this.pause();
  }
}
