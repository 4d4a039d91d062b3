import { Failure } from "./failure.ts";
import { inTime } from "./in-time.ts";

/** How long a call waits for the store in all, from the moment that this is made. */
export class Patience {
  #untilMs: number;

  constructor(ms: number) {
    this.#untilMs = performance.now() + ms;
  }

  /** What the promise gives. Throws `unavailable` once the time is over; how the promise ends then is nobody's concern. */
  waitFor<T>(promise: Promise<T>): Promise<T> {
    return inTime(promise, Math.max(0, this.#untilMs - performance.now()), givesUp);
  }

  /** What the promise gives; the time that it takes is not counted. */
  async leaveOut<T>(promise: Promise<T>): Promise<T> {
    const began = performance.now();
    const result = await promise;
    this.#untilMs += performance.now() - began;
    return result;
  }
}

function givesUp(): never {
  throw new Failure("unavailable");
}
