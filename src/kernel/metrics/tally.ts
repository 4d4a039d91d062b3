/** Counts how often each of a small set of words came. No word is made of what a caller sent. */
export class Tally<Word extends string = string> {
  readonly #counts: Map<Word, number>;

  /**
   * `words` are told with 0 before they come: anyone who looks at a growth sees the first one too.
   */
  constructor(words: readonly Word[] = []) {
    this.#counts = new Map(words.map((word) => [word, 0]));
  }

  add(word: Word): void {
    this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1);
  }

  /** Every word, with how often it came. */
  entries(): [Word, number][] {
    return [...this.#counts];
  }
}
