import { Failure, fromFailureData } from "../../kernel/failure.ts";
import { Durations } from "../../kernel/metrics/durations.ts";
import { currentSpan, withSpan } from "../../kernel/tracing.ts";
import type { AuditLogOutlet } from "../outlet.ts";
import type { Job, Outcome } from "./sqlite-writer.ts";

/** More jobs than this in one commit would make the first of them wait too long. */
const MAX_GROUP = 64;
/**
 * More waiting jobs than this and a new one is refused: better a quick 503 than an answer that no
 * one awaits.
 */
const MAX_WAITING = 4096;

/** Commits a group. Calls back once, shortly before the flush, when it can take the next group. */
type CommitGroup = (jobs: readonly Job[], onFlush: () => void) => Promise<Outcome[]>;

/**
 * Turns single jobs into groups. While the writer works on one group, arriving jobs form the next;
 * it is sent when the writer comes to the flush of the one before. So the number of flushes falls
 * as the load rises, the writer never waits for this thread between two groups, and a lone write
 * does not wait for company.
 */
export class GroupQueue {
  readonly #send: CommitGroup;
  readonly #outlet: AuditLogOutlet | undefined;
  #waiting: Waiting[] = [];
  readonly #underWay = new Set<Promise<void>>();
  /** True while a group was sent and has not come to its flush. */
  #sent = false;
  #drainIsDue = false;
  #closed = false;
  flushes = 0;
  commits = 0;
  /** From the flush of a group that was kept to its end. */
  readonly flushTimes = new Durations();

  /**
   * `send` commits groups in the order of its calls. It is called again when the group before came
   * to its flush. `outlet` gets each job's rows of the audit log, in the order of the commits.
   */
  constructor(send: CommitGroup, outlet?: AuditLogOutlet) {
    this.#send = send;
    this.#outlet = outlet;
  }

  /**
   * Resolves with the job's output after its commit, and after the outlet has what it has to.
   * Throws its Failure, or `unavailable`; `audit_stream_behind` of what is kept.
   */
  submit(job: Job): Promise<unknown> {
    if (this.#closed || this.#waiting.length >= MAX_WAITING) {
      return Promise.reject(new Failure("unavailable"));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, resolve, reject, since: performance.now(), span: currentSpan() });
      if (this.#drainIsDue || this.#sent) return;
      // One turn of the microtask queue, so that requests that arrived together share a group.
      this.#drainIsDue = true;
      queueMicrotask(() => this.#drain());
    });
  }

  /** Jobs that were not sent yet, and since when the oldest of them waits, by performance.now(). */
  get line(): { length: number; since: number | undefined } {
    return { length: this.#waiting.length, since: this.#waiting[0]?.since };
  }

  /** Takes no more jobs and resolves when those taken have ended. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#drain();
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #drain(): void {
    this.#drainIsDue = false;
    if (this.#waiting.length === 0 || this.#sent) return;
    this.#sent = true;
    let wantsNext = true;
    const next = () => {
      if (!wantsNext) return;
      wantsNext = false;
      this.#sent = false;
      this.#drain();
    };
    const commit = this.#commit(this.#waiting.splice(0, MAX_GROUP), next).then(() => {
      this.#underWay.delete(commit);
      // A group that failed never came to its flush.
      next();
    });
    this.#underWay.add(commit);
  }

  /** Never throws. */
  async #commit(group: Waiting[], onFlush: () => void): Promise<void> {
    let outcomes: Outcome[];
    let flushing: number | undefined;
    try {
      const send = () =>
        this.#send(group.map((entry) => entry.job), () => {
          flushing = performance.now();
          onFlush();
        });
      // A part of the change that has waited longest of those that are traced; the others are in it
      // too.
      const parent = group.find(({ span }) => span !== undefined)?.span;
      const facts = { "keydesk.changes": group.length };
      outcomes = parent ? await withSpan("group", { parent, facts }, send) : await send();
    } catch (error) {
      for (const entry of group) entry.reject(new Failure("unavailable", { cause: error }));
      return;
    }
    const kept = outcomes.filter((outcome) => outcome.ok).length;
    if (kept > 0) {
      this.flushes++;
      if (flushing !== undefined) this.flushTimes.add(performance.now() - flushing);
    }
    this.commits += kept;
    group.forEach((entry, i) => settle(entry, outcomes[i], this.#outlet));
  }
}

interface Waiting {
  job: Job;
  since: number;
  /** Of the person who asked, where traces are on. */
  span: ReturnType<typeof currentSpan>;
  resolve(output: unknown): void;
  reject(error: Failure): void;
}

function settle(entry: Waiting, outcome: Outcome | undefined, outlet?: AuditLogOutlet): void {
  if (!outcome) entry.reject(new Failure("unavailable"));
  else if (outcome.ok && outcome.forOutlet && outlet) {
    outlet.take(outcome.forOutlet).then(() => entry.resolve(outcome.output), entry.reject);
  } else if (outcome.ok) entry.resolve(outcome.output);
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
