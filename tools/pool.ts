/**
 * Runs test files side by side, each part in a process of its own: as many as the machine has use
 * for, those that take longest first, and none beside one that it can't stand.
 */

/** What one process of `deno test` runs: a file, or a module that gathers some. */
export interface Part {
  readonly path: string;
  /** What may run beside it. */
  readonly kind: Kind;
  /** So long it took the last time; 0: not known. */
  readonly seconds: number;
}

/**
 * - `network`: changes the machine's network. A browser breaks off its calls when that changes, so
 *   these run one after the other, before any browser does.
 * - `browser`: starts one, which keeps most of a processor busy.
 * - `machine`: starts servers and programs of the machine, one file at a time.
 * - `test`: needs nothing but a lane.
 * - `alone`: bounds what the clock says, and runs when all others have ended.
 */
export type Kind = "network" | "browser" | "machine" | "test" | "alone";

/** How many of a kind run at once. */
const MOST: Readonly<Record<Kind, number>> = {
  network: 1,
  browser: 2,
  machine: 1,
  test: Infinity,
  alone: 1,
};

/** What a file says of itself where it must not run beside others: `// alone: network`. */
const SAID = /^\/\/ alone: (network|clock)$/m;

/** The kind of a file by its path and text. */
export function kindOf(file: string, text: string): Kind {
  const said = SAID.exec(text)?.[1];
  if (said === "clock") return "alone";
  if (said === "network") return "network";
  if (!file.startsWith("system/")) return "test";
  return file.startsWith("system/console/") || /support\/shared-browser\.ts/.test(text)
    ? "browser"
    : "machine";
}

/**
 * Runs all parts, at most so many at once, until `signal`: what runs then is waited for, and
 * nothing more begins.
 */
export async function runPool<P extends Part>(
  parts: readonly P[],
  { lanes, run, signal }: {
    lanes: number;
    run: (part: P) => Promise<void>;
    signal: AbortSignal;
  },
): Promise<void> {
  const waiting = parts.toSorted((a, b) => b.seconds - a.seconds);
  const running = new Map<P, Promise<void>>();
  const begin = (part: P) => {
    waiting.splice(waiting.indexOf(part), 1);
    running.set(part, run(part).finally(() => running.delete(part)));
  };
  while (!signal.aborted) {
    const next = running.size < lanes ? nextOf(waiting, [...running.keys()]) : undefined;
    if (next !== undefined) begin(next);
    else if (running.size > 0) await Promise.race(running.values());
    else break;
  }
  await Promise.all(running.values());
}

/**
 * What begins next: of the kinds that only so many run of at once the longest of the one that takes
 * longest until all of it has run, and what has no limit when none of these may begin. So these
 * never run on when all others have ended. Nothing: nothing is left that may run beside what runs.
 */
export function nextOf<P extends Part>(
  waiting: readonly P[],
  running: readonly P[],
): P | undefined {
  const of = (parts: readonly Part[], kind: Kind) => parts.filter((part) => part.kind === kind);
  const mayRun = (kind: Kind): boolean => {
    if (of(running, kind).length >= MOST[kind]) return false;
    if (kind === "alone") return running.length === 0 && waiting.every((one) => one.kind === kind);
    if (kind === "browser") return of([...waiting, ...running], "network").length === 0;
    return of(running, "alone").length === 0;
  };
  const left = (kind: Kind): number =>
    kind === "network"
      ? Infinity
      : MOST[kind] === Infinity
      ? -1
      : of(waiting, kind).reduce((sum, { seconds }) => sum + seconds, 0) / MOST[kind];
  const kinds = [...new Set(waiting.map(({ kind }) => kind))].filter(mayRun);
  const [kind] = kinds.toSorted((a, b) => left(b) - left(a));
  return waiting.find((part) => part.kind === kind);
}
