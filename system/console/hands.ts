import type { Locator, Page } from "playwright-core";

/** What a job took. */
export interface Counted {
  readonly job: string;
  /** Keys that were pressed; a chord such as Ctrl K is one. */
  readonly keys: number;
  /** Letters of what no console can know: names, addresses, reasons. */
  readonly typed: number;
  readonly clicks: number;
  /** Calls of the server's interface that the page made. */
  readonly calls: number;
  /** Of the program and the browser: nobody reads or thinks. */
  readonly seconds: number;
}

/** Somebody's hands before a page. They do jobs by real keys and clicks, and count them. */
export class Hands {
  readonly jobs: Counted[] = [];
  readonly #page: Page;
  #keys = 0;
  #typed = 0;
  #clicks = 0;
  #calls = 0;
  #pausedMs = 0;

  constructor(page: Page) {
    this.#page = page;
    page.on("request", (request) => {
      if (/^\/(v1|api)\//.test(new URL(request.url()).pathname)) this.#calls++;
    });
  }

  async click(what: Locator): Promise<void> {
    this.#clicks++;
    await what.click();
  }

  /** Presses keys, one after the other. */
  async press(...keys: string[]): Promise<void> {
    for (const key of keys) {
      this.#keys++;
      await this.#page.keyboard.press(key);
    }
  }

  /** Types where the focus is. */
  async type(text: string): Promise<void> {
    this.#typed += text.length;
    await this.#page.keyboard.type(text);
  }

  /** What is done where nobody's hands could: in a shell, by a link that is pasted. */
  count(clicks: number, keys: number, typed: number): void {
    this.#clicks += clicks;
    this.#keys += keys;
    this.#typed += typed;
  }

  /** What the test does for itself: its time is not the person's. */
  async aside(work: () => Promise<void>): Promise<void> {
    const started = performance.now();
    await work();
    this.#pausedMs += performance.now() - started;
  }

  /** Does a job and counts it. */
  async do(job: string, work: () => Promise<void>): Promise<Counted> {
    this.#keys =
      this.#typed =
      this.#clicks =
      this.#calls =
      this.#pausedMs =
        0;
    const started = performance.now();
    await work();
    const seconds = (performance.now() - started - this.#pausedMs) / 1000;
    const counted = {
      job,
      keys: this.#keys,
      typed: this.#typed,
      clicks: this.#clicks,
      calls: this.#calls,
      seconds,
    };
    this.jobs.push(counted);
    return counted;
  }
}

/** A table in Markdown; `isSum`: with a line of all together. */
export function tableOf(jobs: readonly Counted[], isSum = false): string {
  const sum = (of: Exclude<keyof Counted, "job">) => jobs.reduce((all, one) => all + one[of], 0);
  const rows = [...jobs];
  if (isSum) {
    rows.push({
      job: "**In all**",
      keys: sum("keys"),
      typed: sum("typed"),
      clicks: sum("clicks"),
      calls: sum("calls"),
      seconds: sum("seconds"),
    });
  }
  return [
    "| Job | Keys | Letters typed | Clicks | Calls | Seconds |",
    "| --- | ---: | ---: | ---: | ---: | ---: |",
    ...rows.map((one) =>
      `| ${one.job} | ${one.keys} | ${one.typed} | ${one.clicks} | ${one.calls} | ${
        one.seconds.toFixed(1)
      } |`
    ),
    "",
  ].join("\n");
}
