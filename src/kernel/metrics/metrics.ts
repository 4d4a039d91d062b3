import { CallDurations } from "./call-durations.ts";
import { Doings } from "./doings.ts";
import { Durations } from "./durations.ts";
import { Tally } from "./tally.ts";

/**
 * The outcome of a change: the store has it, a rule was against it, or it could not be written.
 */
export type ChangeOutcome = "kept" | "refused" | "failed";

/** The outcome of a try to deliver a message. */
type DeliveryOutcome = "delivered" | "failed";

/**
 * The metrics of this process's own work; those with an owner, such as a queue, are counted there.
 * They name no organisation, person or key.
 */
export class Metrics {
  readonly calls = new CallDurations();
  readonly changes = new Tally<ChangeOutcome>(["kept", "refused", "failed"]);
  /** Changes that were kept, from being asked for until they were durable. */
  readonly commits = new Durations();
  /** Connections that clients have open, and how many there may be; undefined: no one listens. */
  connections: (() => { open: number; most: number }) | undefined;
  #approvals = 0;
  readonly deliveries: Readonly<Record<DeliveryOutcome, Durations>> = {
    delivered: new Durations(),
    failed: new Durations(),
  };
  /** How late the serving thread came to a timer. */
  readonly loopDelay = new Durations();
  /** The present work: calls, and changes. */
  readonly doings = new Doings();

  /** Approvals that were committed. */
  get approvals(): number {
    return this.#approvals;
  }

  /** Counts a change that was kept, `ms` after it was asked for. */
  kept(transaction: string, ms: number): void {
    this.changes.add("kept");
    this.commits.add(ms);
    if (APPROVALS.has(transaction)) this.approved();
  }

  /** Counts an approval that was committed. */
  approved(): void {
    this.#approvals++;
  }
}

/**
 * The transactions that approve a key request whenever they are kept. A job's row says by its
 * output whether it did.
 */
const APPROVALS: ReadonlySet<string> = new Set([
  "key-requests.approve",
  "key-requests.approve-native",
]);
