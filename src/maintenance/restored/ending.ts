/**
 * Something that a store calls open again since it was put back, although it was ended or narrowed
 * after the copy was made.
 */
export type Ending = Place & (KeyEnding | PersonEnding | OtherEnding);

interface Place {
  org_id: string;
  id: string;
  /** When it was ended; "": not known. */
  at: string;
  /** Its name for people; "": none. */
  name: string;
}

/** The change of a key. */
type KeyEnding =
  | { of: "key"; what: "revoked" | "suspended" }
  | { of: "key"; what: "expires"; expires_at: string };

/** The change of a person; permissions and scope as their row has them. */
type PersonEnding =
  | { of: "person"; what: "deactivated" | "suspended" }
  | { of: "person"; what: "narrowed"; permissions: string; covers: string | null };

type OtherEnding =
  | { of: "access token"; what: "revoked" }
  | { of: "developer"; what: "deactivated" }
  | { of: "developer's token"; what: "revoked"; developer_id: string }
  | { of: "one-time link"; what: "withdrawn" };

/** How many there are of each kind, by its word; kinds of which there is none are left out. */
export function countsOf(endings: readonly Ending[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { of } of endings) counts[of] = (counts[of] ?? 0) + 1;
  return counts;
}
