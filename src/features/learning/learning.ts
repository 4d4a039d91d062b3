/**
 * Learning: while somebody moves, the gateway that keys come from still knows keys that nobody
 * knows here, since their hashes can't be imported. From when a person switches it on, and until
 * the end that they gave it, verification asks that gateway about a key that it does not know, by
 * the key's hashes alone, and keeps the key's own hash with its plans, developer and end where it
 * opens there. What was learned is asked anew while that lasts, and ends here when it ended there.
 */
import type { StoredRow } from "../../storage/schema.ts";

/** A gateway that teaches, or did. */
export type LearningRow = StoredRow<"key_learning">;

/** A key that was learned. */
export type LearnedRow = StoredRow<"learned_keys">;

/** Learning lasts for so long at the most, unless somebody renews it. */
export const LONGEST_MS = 366 * 24 * 60 * 60 * 1000;

/** A key in use is asked anew so long after it was asked last. */
export const IN_USE_MS = 60_000;
/** Any other so long after. */
export const AT_REST_MS = 24 * 60 * 60 * 1000;

/** Why a key is not learned although it opens at the gateway. */
export type Untaught =
  /** It opens there in another way than by being presented alone. */
  | "bound"
  /** It is over, or its policies are. */
  | "closed"
  /** Its plans open nothing here, or are not among those of the gateway. */
  | "no_plans";

/** Why nothing is learned by a name: people are told. */
export type Alarm =
  /** Another key was learned, made or imported by that name. */
  | "taken"
  /** It is the name of a key that was revoked, suspended, or is over here. */
  | "ended_here"
  /** Whoever holds the key was deactivated or deleted here. */
  | "developer_gone";

/** Whether learning is on at `now`, as times are stored. */
export function isOn(row: Pick<LearningRow, "ends_at"> | undefined, now: string): boolean {
  return row !== undefined && row.ends_at > now;
}
