/** Counts how often each of a small set of words came. No word is made of what a caller sent. */
export class Tally<Word extends string = string> {
  readonly #counts: Map<Word, number>;

  /**
   * `words` are exported with 0 before they occur, so that a rate includes the first occurrence.
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
