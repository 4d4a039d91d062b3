/** Texts and names kept in all, in characters; beyond it the oldest go. */
const KEPT_LENGTH = 4 * 1024 * 1024;

/** What an answer was put together from, as one value: the same mark, the same answer. */
export type Mark = number | string;

/** A text, or one with something known about it. */
type Kept = { readonly length: number };

/**
 * Keeps answers that were put together from the store, each with the store's change mark from before it was read. An
 * answer is given again only while the mark is the same: one commit anywhere in the store ends them all, so an answer
 * is as fresh as the mark. If the answer depends on the clock, include the time in the mark.
 */
export class ReadCache {
  readonly #kept = new Map<string, { mark: Mark; text: Kept }>();
  #length = 0;

  /**
   * The text under this name, at once where it is kept, else made by `make`. `mark` undefined: the store has none,
   * so nothing is kept. Whoever uses a name makes the same kind of value under it every time.
   */
  get<T extends Kept>(
    name: string,
    mark: () => Mark | undefined,
    make: () => Promise<T>,
  ): T | Promise<T> {
    const now = mark();
    if (now === undefined) return make();
    const kept = this.#kept.get(name);
    // as: what is kept under a name is what its only user made.
    return kept?.mark === now ? kept.text as T : this.#make(name, now, make);
  }

  async #make<T extends Kept>(name: string, mark: Mark, make: () => Promise<T>): Promise<T> {
    const text = await make();
    this.#keep(name, mark, text);
    return text;
  }

  #keep(name: string, mark: Mark, text: Kept): void {
    this.#drop(name);
    this.#kept.set(name, { mark, text });
    this.#length += name.length + text.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#length <= KEPT_LENGTH) break;
      this.#drop(oldest);
    }
  }

  #drop(name: string): void {
    const kept = this.#kept.get(name);
    if (!kept) return;
    this.#length -= name.length + kept.text.length;
    this.#kept.delete(name);
  }
}
