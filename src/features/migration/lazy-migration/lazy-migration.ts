/**
 * Learning: while a person moves, the gateway that keys come from still knows keys that no one
 * knows here, since their hashes can't be imported. From when a person switches it on, and until
 * the end that they gave it, verification asks that gateway about a key that it does not know, by
 * the key's hashes alone, and keeps the key's own hash with its plans, developer and end where it
 * opens there. Migrated keys are asked about anew while that lasts, and follow their changes there
 * until their plans are switched over.
 */
import type { StoredRow } from "../../../storage/schema.ts";

/** A gateway that teaches, or did. */
export type LazyMigrationRow = StoredRow<"key_learning">;

/** A key that was learned. */
export type MigratedRow = StoredRow<"learned_keys">;

/** Learning lasts for so long at the most, unless a person renews it. */
export const LONGEST_MS = 366 * 24 * 60 * 60 * 1000;

/** A key in use is asked anew so long after it was asked last: within a minute of its use. */
export const IN_USE_MS = 45_000;
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

/** Why no key is migrated by a name: people are notified. */
export type Alarm =
  /** Another key was learned, made or imported by that name. */
  | "taken"
  /** It is the name of a key that was revoked, suspended, or is over here. */
  | "ended_here"
  /** The key's developer was deactivated or deleted in Keydesk. */
  | "developer_gone";

/** Why a key's change at its gateway is not taken over: people are notified. */
export type NotFollowed =
  /** It opens there in another way than by being presented alone. */
  | "bound"
  /** Its plans were taken away there, so that it opens what its session says. */
  | "no_plans"
  /** It has policies there that no plan here is. */
  | "unknown_plans"
  /** Its plans or its end can't be so here. */
  | "refused"
  /** It was suspended here, which stays so. */
  | "suspended_here"
  /** Its end was set here and is over, which stays so. */
  | "ended_here"
  /** Something was set there that has no effect beside plans. */
  | "no_effect";

/** So many keys lose access within an hour by what a gateway says; of more a person decides. */
export const MOST_LOSSES = 5;
/** The time in which MOST_LOSSES are counted. */
export const LOSSES_MS = 60 * 60 * 1000;

/** Whether learning is on at `now`, as times are stored. */
export function isOn(row: Pick<LazyMigrationRow, "ends_at"> | undefined, now: string): boolean {
  return row !== undefined && row.ends_at > now;
}
