import { type Clock, toTimestamp } from "./clock.ts";

/** The calls that fail while a problem lasts: all, changes, or none. */
type Stops = "all" | "writes" | "nothing";

/** Something that is wrong with this process or its store, and lasts. */
interface Problem {
  /** One of a small set of words, such as `writes_fail`; never made of what a caller sent. */
  readonly name: string;
  /** Why, for an operator: the engine's code, or a sentence. Never a secret. */
  readonly reason: string;
  readonly stops: Stops;
  /** When it began. */
  readonly since: string;
}

/** The listener to a problem's begin and end. `lastedMs` is of its end alone. */
type ProblemListener = (
  event: "begins" | "ends",
  problem: Problem,
  lastedMs?: number,
) => void;

/**
 * The one place that notes what is wrong and lasts: `/readyz`, the log and the metrics report it.
 * Each problem is reported once when it begins and once when it ends.
 */
export class Problems {
  readonly #open = new Map<string, { problem: Problem; began: number }>();
  readonly #listeners: ProblemListener[] = [];

  constructor(private readonly clock: Clock) {}

  /** `listener` is called for every later begin and end; it must not throw. */
  listen(listener: ProblemListener): void {
    this.#listeners.push(listener);
  }

  /**
   * Notes that a problem goes on. One that is known keeps its beginning; its reason and what it
   * stops are renewed.
   */
  begin(name: string, { reason, stops }: { reason: string; stops: Stops }): void {
    const known = this.#open.get(name);
    const now = this.clock.now();
    const since = known?.problem.since ?? toTimestamp(now);
    const problem = { name, reason, stops, since };
    this.#open.set(name, { problem, began: known?.began ?? now });
    if (!known) { for (const listener of this.#listeners) listener("begins", problem); }
  }

  /** Notes that a problem is over. One that never began changes nothing. */
  end(name: string): void {
    const known = this.#open.get(name);
    if (!known) return;
    this.#open.delete(name);
    const lastedMs = this.clock.now() - known.began;
    for (const listener of this.#listeners) listener("ends", known.problem, lastedMs);
  }

  /** The present problems, in the order in which they began. */
  current(): readonly Problem[] {
    return [...this.#open.values()].map(({ problem }) => problem);
  }

  /** Whether changes (`writes`) or reads and verification (`reads`) must not be sent here. */
  stops(what: "writes" | "reads"): boolean {
    return this.current().some(({ stops }) => stops === "all" || stops === what);
  }
}
