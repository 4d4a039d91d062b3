import { sha256 } from "../../kernel/sha256.ts";

/** The columns of a key request that say what it asks and what was decided. */
export interface RevisedColumns {
  state: string;
  approved: number;
  head: string;
  tail: string;
  secrets: string | null;
  sent_developer: string | null;
  sent_entry: string | null;
  sent_catalogues: string;
  issued_at: string | null;
  decided_at: string | null;
  decision_reason: string | null;
}

/** Characters of a revision. */
export const REVISION_LENGTH = 32;

/**
 * What a key request's `ETag` holds, 32 hex characters: a name for all that it asks and what was decided, whichever
 * interface wrote it. One that was declined and reopened is again what it was.
 */
export function revisionOf(row: RevisedColumns): string {
  const columns = [
    ...[row.state, row.approved, row.head, row.tail, row.secrets, row.sent_developer],
    ...[row.sent_entry, row.sent_catalogues, row.issued_at, row.decided_at, row.decision_reason],
  ];
  return sha256(JSON.stringify(columns)).slice(0, REVISION_LENGTH);
}
