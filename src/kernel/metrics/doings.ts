/**
 * The present and last work of the serving thread, so that a delay can be reported with its cause:
 * calls by the ids of their endpoints, and changes by those of their transactions.
 */
export class Doings {
  readonly #known = new Map<string, { now: number; endedAt: number }>();

  begin(doing: string): void {
    const known = this.#known.get(doing);
    if (known) known.now++;
    else this.#known.set(doing, { now: 1, endedAt: 0 });
  }

  end(doing: string): void {
    const known = this.#known.get(doing);
    if (!known) return;
    known.now--;
    known.endedAt = performance.now();
  }

  /**
   * The names of what goes on, or ended after that moment of `performance.now()`; how often, where
   * it goes on more than once.
   */
  since(at: number): string[] {
    const found: string[] = [];
    for (const [doing, { now, endedAt }] of this.#known) {
      if (now <= 0 && endedAt < at) continue;
      found.push(now > 1 ? `${doing} (${now})` : doing);
    }
    return found.sort();
  }
}
