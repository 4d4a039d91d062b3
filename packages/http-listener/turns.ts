/**
 * So many that wait go on in one turn: what all of them do in it stays short beside what everybody
 * else waits.
 */
const AT_ONCE = 8;

/**
 * Turns for those who are never waited for, since what they send has come already. The runtime
 * looks for what others send only when nothing is left to do: whoever goes on without a pause would
 * keep it from ever looking.
 */
export class Turns {
  #waiting: (() => void)[] = [];
  #isSet = false;

  /** Resolves in one of the next turns, in the order of those who wait. */
  next(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    this.#set();
    return promise;
  }

  /** A timer, since what is immediate comes before the runtime looks. */
  #set(): void {
    if (this.#isSet) return;
    this.#isSet = true;
    setTimeout(() => {
      this.#isSet = false;
      for (const goOn of this.#waiting.splice(0, AT_ONCE)) goOn();
      if (this.#waiting.length > 0) this.#set();
    }, 0);
  }
}
