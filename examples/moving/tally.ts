/** What became of calls, by phase of a move. */
export interface Row {
  phase: string;
  calls: number;
  answered: number;
  /** 401, 403 and the like: told that the key is wrong, or used up. */
  refused: number;
  /** No answer, or 5xx. */
  unanswered: number;
  /** The longest time of one caller between two calls that were answered. */
  gapMs: number;
}

/** Counts calls. */
export class Tally {
  readonly #rows = new Map<string, Row>();
  readonly #last = new Map<unknown, number>();
  /** What was refused or not answered, for people: at most a few, without keys. */
  readonly problems: string[] = [];

  /** Calls that begin from now on belong to this phase. */
  begin(phase: string): void {
    this.#rows.set(phase, { phase, calls: 0, answered: 0, refused: 0, unanswered: 0, gapMs: 0 });
  }

  /** Makes a call and counts it; `call` gives the status. */
  async count(caller: unknown, what: string, call: () => Promise<number>): Promise<number> {
    const row = this.current;
    row.calls++;
    const status = await call().catch(() => 0);
    if (status === 200) {
      row.answered++;
      const now = performance.now();
      row.gapMs = Math.max(row.gapMs, now - (this.#last.get(caller) ?? now));
      this.#last.set(caller, now);
      return status;
    }
    if (status >= 400 && status < 500) row.refused++;
    else row.unanswered++;
    if (this.problems.length < 10) this.problems.push(`${row.phase}: ${what}: ${status}`);
    return status;
  }

  /** What became of the calls of the newest phase. */
  get current(): Row {
    const row = [...this.#rows.values()].at(-1);
    if (!row) throw new Error("no phase has begun");
    return row;
  }

  get rows(): Row[] {
    return [...this.#rows.values()];
  }
}

/** Rows as a table of Markdown, with their sum. */
export function tableOf(title: string, rows: readonly Row[]): string {
  const sum = rows.reduce((all, row) => ({
    phase: "all",
    calls: all.calls + row.calls,
    answered: all.answered + row.answered,
    refused: all.refused + row.refused,
    unanswered: all.unanswered + row.unanswered,
    gapMs: Math.max(all.gapMs, row.gapMs),
  }));
  const lines = [...rows, sum].map(({ phase, calls, answered, refused, unanswered, gapMs }) =>
    `| ${[phase, calls, answered, refused, unanswered, `${gapMs.toFixed(0)} ms`].join(" | ")} |`
  );
  return [
    `| ${title} | calls | answered | refused | unanswered | longest gap |`,
    "| --- | ---: | ---: | ---: | ---: | ---: |",
    ...lines,
  ].join("\n");
}
