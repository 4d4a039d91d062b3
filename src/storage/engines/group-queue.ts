import { Failure, fromFailureData } from "../../lib/failure.ts";
import type { Job, Outcome } from "./sqlite-writer.ts";

/** More jobs than this in one commit would make the first of them wait too long. */
const MAX_GROUP = 64;
/** More waiting jobs than this and a new one is refused: better a quick 503 than an answer that nobody awaits. */
const MAX_WAITING = 4096;

/**
 * Groups with the writer at a time: one being committed, and the next one beside it, so that the writer does not
 * wait for this thread between two commits.
 */
const MAX_UNDER_WAY = 2;

/**
 * Turns single submissions into groups: while groups are being committed, what arrives forms the next. So the
 * number of flushes falls as the load rises, and a lone write does not wait for company.
 */
export class GroupQueue {
  readonly #send: (jobs: readonly Job[]) => Promise<Outcome[]>;
  #waiting: Waiting[] = [];
  readonly #underWay = new Set<Promise<void>>();
  #drainIsDue = false;
  #closed = false;
  flushes = 0;
  commits = 0;

  /** `send` may be called again before its last call has ended; it commits groups in the order of the calls. */
  constructor(send: (jobs: readonly Job[]) => Promise<Outcome[]>) {
    this.#send = send;
  }

  /** Resolves with the job's output after its commit; throws its Failure, or `unavailable`. */
  submit(job: Job): Promise<unknown> {
    if (this.#closed || this.#waiting.length >= MAX_WAITING) {
      return Promise.reject(new Failure("unavailable"));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, resolve, reject });
      if (this.#drainIsDue || this.#underWay.size === MAX_UNDER_WAY) return;
      // One turn of the microtask queue, so that requests that arrived together share a group.
      this.#drainIsDue = true;
      queueMicrotask(() => this.#drain());
    });
  }

  /** Takes no more jobs and resolves when those taken have ended. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#drain();
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #drain(): void {
    this.#drainIsDue = false;
    while (this.#waiting.length > 0 && this.#underWay.size < MAX_UNDER_WAY) {
      const commit = this.#commit(this.#waiting.splice(0, MAX_GROUP)).then(() => {
        this.#underWay.delete(commit);
        this.#drain();
      });
      this.#underWay.add(commit);
    }
  }

  /** Never throws. */
  async #commit(group: Waiting[]): Promise<void> {
    let outcomes: Outcome[];
    try {
      outcomes = await this.#send(group.map((entry) => entry.job));
    } catch (error) {
      for (const entry of group) entry.reject(new Failure("unavailable", { cause: error }));
      return;
    }
    const kept = outcomes.filter((outcome) => outcome.ok).length;
    if (kept > 0) this.flushes++;
    this.commits += kept;
    group.forEach((entry, i) => settle(entry, outcomes[i]));
  }
}

interface Waiting {
  job: Job;
  resolve(output: unknown): void;
  reject(error: Failure): void;
}

function settle(entry: Waiting, outcome: Outcome | undefined): void {
  if (!outcome) entry.reject(new Failure("unavailable"));
  else if (outcome.ok) entry.resolve(outcome.output);
  else {
    const cause = outcome.trace === undefined ? undefined : new WriterError(outcome.trace);
    entry.reject(fromFailureData(outcome.failure, cause));
  }
}

/** An unforeseen error of the writer, with the stack that it had there. */
class WriterError extends Error {
  constructor(trace: string) {
    super(trace.split("\n", 1)[0]);
    this.stack = trace;
  }
}
