/**
 * How many requests are being answered, long lists to their last piece. The runtime can't tell that: for it a
 * request lasts until the rest of a body has come that nobody waits for any more.
 */
export class UnderWay {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  begin(): void {
    this.#count++;
  }

  end(): void {
    this.#count--;
  }

  /** The same pieces; until the last was taken, or the client left, their request is under way. */
  async *until<T>(pieces: AsyncGenerator<T, void, void>): AsyncGenerator<T, void, void> {
    this.begin();
    try {
      yield* pieces;
    } finally {
      this.end();
    }
  }
}
