/** Texts and names kept in all, in characters; beyond it the oldest go. */
const KEPT_LENGTH = 4 * 1024 * 1024;

/** What an answer was put together from, as one value: the same mark, the same answer. */
export type Mark = number | string;

/**
 * Keeps answers that were put together from the store, each with the store's change mark from before it was read. An
 * answer is given again only while the mark is the same: one commit anywhere in the store ends them all, so an answer
 * is as fresh as the mark. If the answer depends on the clock, include the time in the mark.
 */
export class ReadCache {
  readonly #kept = new Map<string, { mark: Mark; text: string }>();
  #length = 0;

  /**
   * The text under this name, at once where it is kept, else made by `make`. `mark` undefined: the store has none,
   * so nothing is kept.
   */
  get(
    name: string,
    mark: () => Mark | undefined,
    make: () => Promise<string>,
  ): string | Promise<string> {
    const now = mark();
    if (now === undefined) return make();
    const kept = this.#kept.get(name);
    return kept?.mark === now ? kept.text : this.#make(name, now, make);
  }

  async #make(name: string, mark: Mark, make: () => Promise<string>): Promise<string> {
    const text = await make();
    this.#keep(name, mark, text);
    return text;
  }

  #keep(name: string, mark: Mark, text: string): void {
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
