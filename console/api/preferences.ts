import { signal } from "../signal.ts";
import { keep, kept } from "./kept.ts";

/** A choice of the person, kept in this browser. */
interface Preference<T extends string> {
  /** All choices; the first is the usual one. */
  readonly choices: readonly T[];
  value: T;
}

function preference<T extends string>(name: string, choices: readonly [T, ...T[]]): Preference<T> {
  const at = `keydesk.${name}`;
  const chosen = signal<T>(choices.find((one) => one === kept(at)) ?? choices[0]);
  return {
    choices,
    get value() {
      return chosen.value;
    },
    set value(one) {
      chosen.value = one;
      keep(at, one);
    },
  };
}

/** How close the rows of lists stand. */
export const density = preference("density", ["comfortable", "compact"]);

/** How times stand in lists. */
export const times = preference("times", ["relative", "exact"]);

/**
 * How a fresh credential reaches whom it is for: by a link, unless one chose otherwise the last
 * time.
 */
export const delivery = preference("deliver", ["one_time_link", "answer"]);

/** Whether single letters and digits do something by themselves (WCAG 2.2, 2.1.4). */
export const singleKeys = preference("single-keys", ["on", "off"]);

/** The height of a list's rows, in pixels. */
export function rowHeight(): number {
  return density.value === "compact" ? 46 : 58;
}
