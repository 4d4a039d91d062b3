import type { StoredEvent } from "../../changes/audit-content.ts";
import type { TreeHead, Verifier } from "../../../packages/audit-log/checkpoint.ts";

/**
 * The problem: a row that differs from its entry (`changed`), is gone (`removed`) or was never
 * appended as Keydesk writes it (`inserted`); entries that are not those signed, though each fits
 * its row (`altered`); a checkpoint without a valid signature (`unsigned`); another history than
 * the noted one (`forked`); or no checkpoint to compare with (`unknown`).
 */
export type Wrong =
  | ("changed" | "removed" | "inserted")
  | ("altered" | "unsigned" | "forked" | "unknown");

/** Something that is wrong, and where. */
export interface Finding {
  org_id: string;
  wrong: Wrong;
  /** The first entry of the log that it is about, and how many; null where it is about none. */
  leaf_index: number | null;
  entries: number;
  /** The row and its time; empty where unknown. */
  id: string;
  at: string;
  why: string;
}

/** An entry of a log as it was noted. */
export interface Leaf {
  leaf_index: number;
  event_id: string;
  kind: string;
  leaf_hash: string;
}

/** A row as it is found, with the place that it says it has. */
export type FoundEvent = StoredEvent & { leaf_index: number | null };

/** The result of checking a log. */
export interface LogFound {
  /** Entries that were read, and the rows of personal values that were erased. */
  entries: number;
  erased: number;
  /** Personal values that are erased, and those of which rows tell that they were. */
  erasedValues: number;
  reportedErased: number;
  /** Entries of each kind but `written`. */
  upgrade: number;
  older: number;
  /** Rows an hour or more older than an entry in front of them, and the first one's place. */
  late: number;
  firstLate: number | undefined;
  /** The head that the newest checkpoint names, where it holds. */
  head: TreeHead | undefined;
  signedBy: Verifier | undefined;
  /** Entries that an earlier release has purged without cutting the log. */
  purgedByOlder: number;
}
