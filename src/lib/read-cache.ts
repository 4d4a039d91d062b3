/** Texts kept in all, in characters; beyond it the oldest go. */
const KEPT_LENGTH = 4 * 1024 * 1024;

/**
 * Keeps answers that were put together from the store, each with the store's change mark from before it was
 * read. An answer is given again only while the mark is the same, so it is never stale: one commit anywhere in
 * the store, by whichever process, ends them all.
 */
export class ReadCache {
  readonly #kept = new Map<string, { mark: number; text: string }>();
  #length = 0;

  /** The text under this name, made by `make` unless it is kept. `mark` undefined: the store has none, so nothing is kept. */
  async get(
    name: string,
    mark: () => number | undefined,
    make: () => Promise<string>,
  ): Promise<string> {
    const now = mark();
    if (now === undefined) return await make();
    const kept = this.#kept.get(name);
    if (kept?.mark === now) return kept.text;
    const text = await make();
    this.#keep(name, now, text);
    return text;
  }

  #keep(name: string, mark: number, text: string): void {
    this.#drop(name);
    this.#kept.set(name, { mark, text });
    this.#length += text.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#length <= KEPT_LENGTH) break;
      this.#drop(oldest);
    }
  }

  #drop(name: string): void {
    this.#length -= this.#kept.get(name)?.text.length ?? 0;
    this.#kept.delete(name);
  }
}
