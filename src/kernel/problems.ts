import { type Clock, toTimestamp } from "./clock.ts";

/** What goes on while a trouble lasts: nothing, everything but changes, or everything. */
type Stops = "all" | "writes" | "nothing";

/** Something that is wrong with this process or its store, and lasts. */
interface Trouble {
  /** One of a small set of words, such as `writes_fail`; never made of what a caller sent. */
  readonly name: string;
  /** Why, for an operator: the engine's code, or a sentence. Never a secret. */
  readonly reason: string;
  readonly stops: Stops;
  /** When it began. */
  readonly since: string;
}

/** What is told of a trouble's begin and end. `lastedMs` is of its end alone. */
type TroubleListener = (
  event: "begins" | "ends",
  trouble: Trouble,
  lastedMs?: number,
) => void;

/**
 * The one place where everything that lasts and is wrong is noted: `/readyz` answers by it, the log
 * and the figures tell of it. Each trouble is told once when it begins and once when it ends.
 */
export class Troubles {
  readonly #open = new Map<string, { trouble: Trouble; began: number }>();
  readonly #listeners: TroubleListener[] = [];

  constructor(private readonly clock: Clock) {}

  /** Every later begin and end is told to `listener`, which must not throw. */
  listen(listener: TroubleListener): void {
    this.#listeners.push(listener);
  }

  /**
   * Notes that a trouble goes on. One that is known keeps its beginning; its reason and what it
   * stops are renewed.
   */
  begin(name: string, { reason, stops }: { reason: string; stops: Stops }): void {
    const known = this.#open.get(name);
    const now = this.clock.now();
    const since = known?.trouble.since ?? toTimestamp(now);
    const trouble = { name, reason, stops, since };
    this.#open.set(name, { trouble, began: known?.began ?? now });
    if (!known) { for (const listener of this.#listeners) listener("begins", trouble); }
  }

  /** Notes that a trouble is over. One that never began changes nothing. */
  end(name: string): void {
    const known = this.#open.get(name);
    if (!known) return;
    this.#open.delete(name);
    const lastedMs = this.clock.now() - known.began;
    for (const listener of this.#listeners) listener("ends", known.trouble, lastedMs);
  }

  /** What goes on now, in the order in which it began. */
  current(): readonly Trouble[] {
    return [...this.#open.values()].map(({ trouble }) => trouble);
  }

  /** Whether changes (`writes`) or reads and verification (`reads`) must not be sent here. */
  stops(what: "writes" | "reads"): boolean {
    return this.current().some(({ stops }) => stops === "all" || stops === what);
  }
}
