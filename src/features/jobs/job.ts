/**
 * A job: one person decides any number of key requests, or changes any number of keys or
 * certificates or developers, each in its own transaction.
 *
 *     preparing ──► running ──► done
 *         │            │
 *         └── stop ──► stopping ──► stopped          either way may also end as broken_off
 *
 * While it prepares, what was selected becomes its rows, in their order. Then each row has its turn
 * once, is looked at anew, and is decided by the right that the person has at that moment.
 */
import type { z } from "zod";
import type { jobFilter } from "./jobs.contract.ts";
import type { FailureCode } from "../../kernel/failure-codes.ts";
import type { StoredRow } from "../../storage/schema.ts";
import {
  type JobKind,
  jobKinds,
  type JobOf,
  type KeysOfDevelopers,
  type OwnKind,
} from "../../contract/job-kinds.ts";
import type { Permission } from "../../contract/permissions.ts";

/** A job as it is stored. */
export type JobRow = StoredRow<"jobs">;

/** The inputs of a job's rows, or the kind of job that it takes back. */
export interface JobTerms {
  plans?: string[];
  tags?: string[];
  overlap_seconds?: number;
  owner?: string;
  until?: string;
  /** The action on the keys of its developers. */
  keys?: KeysOfDevelopers;
  undoes?: OwnKind;
}

/** The terms of a stored job. */
export function termsOf({ terms }: Pick<JobRow, "terms">): JobTerms {
  // as: startJob writes them.
  return terms === null ? {} : JSON.parse(terms) as JobTerms;
}

/** The list that a job works on. */
export function ofWhat(job: Pick<JobRow, "kind" | "terms">): JobOf {
  return jobKinds[actsAs(job)].of;
}

/** The kind that a job is of, or takes back. */
export function actsAs({ kind, terms }: Pick<JobRow, "kind" | "terms">): OwnKind {
  if (kind !== "undo") return kind;
  const { undoes } = termsOf({ terms });
  if (undoes === undefined) throw new Error("a job takes back nothing");
  return undoes;
}

/** The state of a row before its turn, and its revision after it. */
export interface WhatItWas {
  revision: string;
  plans?: string[];
  expires_at?: string | null;
  /** When a person chose it; null: it followed the key's plans. Absent in jobs of earlier code. */
  end_chosen_at?: string | null;
  tags?: string[];
  owner?: string;
  /** The mute of a certificate; null: it had none. */
  mute?: { until: string; reason: string } | null;
  /** Keys that were suspended or resumed with their developer. */
  moved?: string[];
}

/** The filter of a job, with the moment: later requests, keys and other additions stay out. */
export type JobFilter = z.output<z.ZodObject<typeof jobFilter>> & { created_before: string };

/** A filter as rows and audit rows have it. */
interface StoredFilter extends Omit<JobFilter, "created_after" | "created_before"> {
  asked_after?: string | undefined;
  asked_before: string;
}

/** One of a selection as a person has seen it. */
export interface SeenRow {
  id: string;
  revision: string;
}

/** A job over no more than so many is small. */
const MOST_SMALL = 100;

/** Whether a job over these is done within the call that starts it. */
export function isSmall(selection: Selection): boolean {
  return (namedIn(selection) ?? Infinity) <= MOST_SMALL;
}

/** How many were named, of a selection that names them; undefined: of another one. */
export function namedIn(selection: Selection): number | undefined {
  if ("ids" in selection) return selection.ids.length;
  return "seen" in selection ? selection.seen.length : undefined;
}

/** The selection. It has ids until they are rows; then their number. */
export type Selection =
  | { filter: JobFilter }
  | { ids: readonly string[] }
  | { seen: readonly SeenRow[] }
  | { count: number }
  | { job: string };

/** The selection of a stored job. */
export function selectionOf({ selection }: Pick<JobRow, "selection">): Selection {
  // as: selectionText wrote it.
  const stored = JSON.parse(selection) as Selection | { filter: StoredFilter };
  if (!("filter" in stored) || !("asked_before" in stored.filter)) return stored as Selection;
  const { asked_after: created_after, asked_before: created_before, ...filter } = stored.filter;
  return { filter: { ...filter, created_after, created_before } };
}

/** The text of a selection in a row. */
export function selectionText(selection: Selection): string {
  if (!("filter" in selection)) return JSON.stringify(selection);
  const { created_after: asked_after, created_before: asked_before, ...filter } = selection.filter;
  return JSON.stringify({ filter: { ...filter, asked_after, asked_before } });
}

/**
 * The permissions that the starter of a job needs, also at each row's turn, as the single changes
 * have it. Keys that follow their developers take `approve`: `revoke` alone suspends so many an
 * hour.
 */
export function neededFor(kind: OwnKind, keys: KeysOfDevelopers | undefined): Permission[] {
  const { needs } = jobKinds[kind];
  return keys === undefined || keys === "keep" ? [needs] : [needs, "approve"];
}

/**
 * Why a job was broken off: the person may not do it any more, more matched than was expected, or
 * no one is mailed.
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
  "certificate_not_found",
  "precondition_failed" as const,
];

/** The outcome of a row with this failure. */
export function outcomeOf(kind: JobKind, code: FailureCode): "left_alone" | "failed" {
  const isSo = kind !== "undo" && jobKinds[kind].isSo === code;
  return isSo || LEFT_ALONE.includes(code) ? "left_alone" : "failed";
}
