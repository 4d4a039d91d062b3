import { Doings } from "../kernel/metrics/doings.ts";
import { Rests } from "../kernel/turns.ts";

/**
 * How many requests are being answered, long lists to their last piece. The runtime can't tell
 * that: for it a request lasts until the rest of a body has come that no one waits for any more.
 */
export class UnderWay {
  #count = 0;
  readonly #rests = new Rests();

  /** `doings`: where it is noted which they are, by the ids of their endpoints. */
  constructor(private readonly doings: Doings = new Doings()) {}

  get count(): number {
    return this.#count;
  }

  begin(call: string): void {
    this.#count++;
    this.doings.begin(call);
  }

  end(call: string): void {
    this.#count--;
    this.doings.end(call);
  }

  /**
   * The pieces with rests between; until the last was taken, or the client left, their request is
   * under way.
   */
  async *until<T>(
    pieces: AsyncGenerator<T, void, void>,
    call: string,
  ): AsyncGenerator<T, void, void> {
    this.begin(call);
    try {
      for (;;) {
        const { done, value } = await this.#rests.piece(() => pieces.next());
        if (done) return;
        yield value;
      }
    } finally {
      await pieces.return();
      this.end(call);
    }
  }
}
