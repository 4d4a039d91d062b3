import { setImmediate } from "node:timers/promises";

/** For how long one piece of work keeps everybody else waiting, in milliseconds. */
const SLICE_MS = 10;

/** Long work in slices: between two of them everything else that waits gets its turn. */
export class TimeSlices {
  #endsAt = performance.now() + SLICE_MS;

  /** To be awaited wherever the work can pause. It waits only where the slice is used up. */
  async pause(): Promise<void> {
    if (performance.now() < this.#endsAt) return;
    await setImmediate();
    this.#endsAt = performance.now() + SLICE_MS;
  }
}
