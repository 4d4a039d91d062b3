import { Failure } from "./failure.ts";
import { inTime } from "./in-time.ts";

/** How long a call waits for the store in all. */
export class Patience {
  #leftMs: number;

  constructor(ms: number) {
    this.#leftMs = ms;
  }

  /** What the promise gives. Throws `unavailable` once the time is over; how the promise ends then is nobody's concern. */
  async waitFor<T>(promise: Promise<T>): Promise<T> {
    const began = performance.now();
    try {
      return await inTime(promise, Math.max(0, this.#leftMs), givesUp);
    } finally {
      this.#leftMs -= performance.now() - began;
    }
  }
}

function givesUp(): never {
  throw new Failure("unavailable");
}
