import type { Principal } from "../calls/principal.ts";
import type { Log } from "../kernel/log.ts";

/** So many lines are written in an hour at the most. */
const MOST_LINES = 1000;
const HOUR_MS = 60 * 60 * 1000;

/**
 * Notes names that an endpoint does not list and that were dropped, so that whoever sends them can be found before they
 * are refused. The same of the same caller is noted once an hour.
 */
export class UnknownNotes {
  readonly #log: Log;
  readonly #noted = new Set<string>();
  #until = 0;

  constructor(log: Log) {
    this.#log = log;
  }

  /** `path`: the pattern. */
  add(
    method: string,
    path: string,
    names: readonly string[],
    { user_id: principal, token_id: token }: Pick<Principal, "user_id" | "token_id">,
  ): void {
    const now = performance.now();
    if (now > this.#until) {
      this.#noted.clear();
      this.#until = now + HOUR_MS;
    }
    for (const one of new Set(names.slice(0, MOST_NAMES).map(harmless))) {
      const line = `${method} ${path} ${one} ${token}`;
      if (this.#noted.size >= MOST_LINES || this.#noted.has(line)) continue;
      this.#noted.add(line);
      this.#log.line("warn", "unknown name dropped", { method, path, name: one, principal, token });
    }
  }
}

const MOST_NAMES = 20;

/** A name may be anything, a key that stands in the wrong place too: only what looks like a name is told. */
function harmless(name: string): string {
  return /^[A-Za-z_][\w.-]{0,31}$/.test(name) ? name : "(no name of ours)";
}
