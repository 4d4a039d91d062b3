import { Durations } from "./durations.ts";

/** The methods that are told apart; every other one is `other`. */
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
export interface CallSeries {
  readonly method: string;
  /** A path's pattern: never what a caller sent. */
  readonly route: string;
  readonly status: number;
  readonly durations: Durations;
}

/** How long calls took, by route, method and status. */
export class CallDurations {
  /** By the route, then by status and method in one number: joining texts costs each call more than counting. */
  readonly #routes = new Map<string, Map<number, CallSeries>>();

  add(method: string, route: string, status: number, ms: number): void {
    let calls = this.#routes.get(route);
    if (!calls) this.#routes.set(route, calls = new Map());
    const index = METHODS.findIndex((known) => known === method);
    const which = index === -1 ? METHODS.length - 1 : index;
    const key = status * METHODS.length + which;
    let series = calls.get(key);
    if (!series) {
      series = { method: METHODS[which] ?? "other", route, status, durations: new Durations() };
      calls.set(key, series);
    }
    series.durations.add(ms);
  }

  /** Every series that any call fell into. */
  series(): CallSeries[] {
    return [...this.#routes.values()].flatMap((calls) => [...calls.values()]);
  }
}
