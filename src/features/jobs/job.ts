/**
 * A job: one person decides or assigns any number of key requests, each in its own transaction.
 *
 *     preparing ──► running ──► done
 *         │            │
 *         └── stop ──► stopping ──► stopped          either way may also end as broken_off
 *
 * While it prepares, what was selected becomes its rows, in their order. Then each row has its turn
 * once, is looked at anew, and is decided by the right that the person has at that moment.
 */
import type { FailureCode } from "../../kernel/failure-codes.ts";
import type { StoredRow } from "../../storage/schema.ts";

/** A job as it is stored. */
export type JobRow = StoredRow<"jobs">;

/** What it does. */
export type JobKind = JobRow["kind"];

/** What a list of key requests is narrowed by, in a job. */
export interface JobFilter {
  plan?: string | undefined;
  api?: string | undefined;
  developer?: string | undefined;
  assignee?: string | undefined;
  late?: "true" | undefined;
  q?: string | undefined;
  asked_after?: string | undefined;
  /** The moment: what was asked later stays out. */
  asked_before: string;
}

/** What was selected. Ids stand in it until they are rows; then their number does. */
export type Selection =
  | { filter: JobFilter }
  | { ids: readonly string[] }
  | { count: number }
  | { job: string };

/** The selection of a stored job. */
export function selectionOf({ selection }: Pick<JobRow, "selection">): Selection {
  // as: startJob and addRows write it.
  return JSON.parse(selection) as Selection;
}

/** The state that a key request has to be in. */
export const decides = {
  approve: "pending",
  decline: "pending",
  reopen: "declined",
  assign: "pending",
} as const;

/**
 * Why a job was broken off: the person may not decide any more, more matched than was expected, or
 * nobody is mailed.
 */
export type BreakOff = "permission_ended" | "too_many" | "links_not_mailed";

/** How long a job and its result are kept behind its end: 30 days. */
export const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * Failures that mean that nothing was left to decide, or something else than was selected: no
 * failure of the job.
 */
const LEFT_ALONE: readonly FailureCode[] = [
  "already_decided",
  "already_processed",
  "not_declined",
  "not_found",
  "precondition_failed" as const,
];

/** What a row's failure makes of it. */
export function outcomeOf(code: FailureCode): "left_alone" | "failed" {
  return LEFT_ALONE.includes(code) ? "left_alone" : "failed";
}
