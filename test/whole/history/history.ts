/** What many clients did and were told, with the moments at which each call began and ended. */

/** How a call ended: done, refused for a reason that the interface names, or nobody knows. */
export type Outcome = "ok" | "refused" | "unknown";

/**
 * When a call began and when its answer was there, in milliseconds of one clock; Infinity: never.
 */
interface Span {
  begin: number;
  end: number;
}

/** A call, and through which of the nodes it went, counted from 0. */
interface Call extends Span {
  node: number;
}

/** One call that changes a request. */
export interface Change extends Call {
  kind:
    | "create"
    | "update"
    | "approve"
    | "decline"
    | "open"
    | "issue"
    | "rotate"
    | "revoke"
    | "delete";
  id: string;
  outcome: Outcome;
  /** What a refusal said. */
  why?: string;
  /** What a create or an update wrote; unique. */
  value?: string;
  /**
   * The key that an approval, the opening of its one-time link, an issue or a rotation handed out;
   * that a rotation or a revocation ends.
   */
  key?: string;
}

/** What a call showed of one request; `value` null: that there is none. */
export interface Sight extends Call {
  kind: "read" | "list";
  id: string;
  value: string | null;
  approved: boolean;
}

/** What verification said of the key of a request. */
export interface Verdict extends Span {
  kind: "verify";
  id: string;
  key: string;
  verdict: string;
}

/** What a call that carried an `Idempotency-Key` was answered. */
export interface Answer {
  key: string;
  text: string;
}

/** Everything that happened. */
export class History {
  readonly changes: Change[] = [];
  readonly sights: Sight[] = [];
  readonly verdicts: Verdict[] = [];
  readonly answers: Answer[] = [];

  /** The ids of all requests that somebody was told of. */
  ids(): string[] {
    return [...new Set(this.changes.map(({ id }) => id))];
  }
}
