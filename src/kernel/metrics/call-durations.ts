import { Durations } from "./durations.ts";

/** The methods that have a label of their own; every other one is `other`. */
const METHODS = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "DELETE",
  "UPDATE",
  "OPTIONS",
  "PATCH",
  "other",
] as const;

/** Calls of one route with one method and one status. */
interface CallSeries {
  readonly method: string;
  /** A path's pattern: never what a caller sent. */
  readonly route: string;
  readonly status: number;
  /** How many there were. */
  readonly count: number;
}

/** How long the calls of one route with one method took, whatever became of them. */
interface RouteDurations {
  readonly method: string;
  readonly route: string;
  readonly durations: Durations;
}

/** Calls by route, method and status, and how long they took by route and method. */
export class CallDurations {
  /**
   * By the route, then by status and method in one number: joining texts costs each call more than
   * counting.
   */
  readonly #routes = new Map<string, Map<number, Counted>>();
  readonly #durations = new Map<string, RouteDurations>();

  add(method: string, route: string, status: number, ms: number): void {
    let calls = this.#routes.get(route);
    if (!calls) this.#routes.set(route, calls = new Map());
    const index = METHODS.findIndex((known) => known === method);
    const which = index === -1 ? METHODS.length - 1 : index;
    const key = status * METHODS.length + which;
    let series = calls.get(key);
    if (!series) calls.set(key, series = this.#begin(METHODS[which] ?? "other", route, status));
    series.count++;
    series.durations.add(ms);
  }

  /** Every series that any call fell into. */
  series(): CallSeries[] {
    return [...this.#routes.values()].flatMap((calls) => [...calls.values()]);
  }

  /** How long they took: one for each route and method that was called. */
  durations(): RouteDurations[] {
    return [...this.#durations.values()];
  }

  #begin(method: string, route: string, status: number): Counted {
    const name = `${method} ${route}`;
    let shared = this.#durations.get(name);
    if (!shared) this.#durations.set(name, shared = { method, route, durations: new Durations() });
    return { method, route, status, count: 0, durations: shared.durations };
  }
}

/** A status has no durations of its own: sixteen lines each would be most of what a scrape gets. */
interface Counted {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  count: number;
  readonly durations: Durations;
}
