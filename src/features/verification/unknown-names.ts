/**
 * Names that lead nowhere, each remembered for a short time from when that was found out. Bounded;
 * when it is full, the oldest go. It is apart from what is known, so that guesses can't push that
 * out.
 */
export class UnknownNames {
  readonly #until = new Map<string, number>();

  constructor(readonly keptMs: number, readonly most: number) {}

  has(name: string, nowMs: number): boolean {
    const until = this.#until.get(name);
    return until !== undefined && nowMs < until;
  }

  /** `nowMs` of a clock that never goes back. */
  add(name: string, nowMs: number): void {
    this.#until.delete(name);
    this.#until.set(name, nowMs + this.keptMs);
    // In the order of their ends, so those that are over stand in front.
    for (const [oldest, until] of this.#until) {
      if (until > nowMs && this.#until.size <= this.most) break;
      this.#until.delete(oldest);
    }
  }

  delete(name: string): void {
    this.#until.delete(name);
  }

  get size(): number {
    return this.#until.size;
  }
}
