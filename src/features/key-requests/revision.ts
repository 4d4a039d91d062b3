import { blake3 } from "../../kernel/blake3.ts";
import { identityIn } from "../developers/developer-text.ts";

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
  /** JSON text; see the table. */
  offer: string | null;
  /**
   * The live developer's document where `developer_known` is 1; else what was sent, which is above
   * already.
   */
  developer: string | null;
  developer_known: number;
}

/** Names the revision of a key request. */
type RevisionOf = (row: RevisedColumns) => string;

/**
 * Makes the revision of a key request, which its `ETag` has, 32 hex characters: a name for its
 * terms, the identity of its developer, and its decision, whichever interface wrote it. One that
 * was declined and reopened has its earlier revision again. A developer's sign-in or new keys
 * change nothing of it.
 */
export async function revisions(): Promise<RevisionOf> {
  const hash = await blake3();
  return (row) => hash(columnsOf(row).map(delimited).join(""));
}

function columnsOf(row: RevisedColumns): (string | number | null)[] {
  return [
    row.state,
    row.approved,
    row.head,
    row.tail,
    row.secrets,
    row.sent_developer,
    row.sent_entry,
    row.sent_catalogues,
    row.issued_at,
    row.decided_at,
    row.decision_reason,
    // One whom no one knows is registered without anything when their first request is approved.
    identityIn(row.developer_known === 1 ? row.developer ?? "{}" : "{}"),
    // Without an offer the revision is as in earlier versions.
    ...row.offer === null ? [] : [row.offer],
  ];
}

/**
 * With its length in front, so that what belongs to one column can't stand for a part of the next.
 * The columns hold JSON: as JSON once more they would be a quarter longer, and dear to write.
 */
function delimited(column: string | number | null): string {
  if (column === null) return "-";
  const text = String(column);
  return `${text.length}:${text}`;
}
