/**
 * A key: what is issued to a developer and opens the APIs of its plans.
 *
 *     issue ──► active ◄──resume── suspended
 *                 │ └────suspend──►  │
 *                 └──────revoke──────┴──► revoked ──restore──► what it was
 *
 * A revoked key stays so, unless a person without `approve` ended it, or it went with its
 * developer: then it can be brought back for 7 days (keys/ended-key.ts), by a person with
 * `approve`, and is for good what it was all the time, revoked, once they are over. A key ends by
 * itself too: at its `expires_at`, and an imported one that was never used at its `use_before`.
 * That it has expired is never stored, so a later end brings it back. A key that was rotated opens
 * until its end, which is soon; another one has taken over. The store calls keys `credentials`.
 */
import type { Permission } from "../../contract/permissions.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import type { FailureCode } from "../../kernel/failure-codes.ts";
import { revisionOf } from "../../kernel/entity-tag.ts";
import { Failure } from "../../kernel/failure.ts";
import type { StoredKeyState } from "./key-kinds.ts";
import { type LabelColumns, LABELS } from "./key-labels.ts";
import type { StoredAlgorithm } from "./murmur.ts";

/** The visible state of a key: its stored state, or `expired` after its expiry. */
type KeyState = StoredKeyState | "expired";

/** The data that determine a key's state. */
export interface KeyStanding {
  state: StoredKeyState;
  expires_at: string | null;
  algorithm: StoredAlgorithm;
  use_before: string | null;
}

/** The obstacles to a change. Several may be true of one key; they are checked in this order. */
export const obstacles = ["revoked", "rotated", "expired", "suspended", "active"] as const;

/** A possible change of a key. */
export interface KeyMove {
  /** The permission that it needs; a developer's own keys also go with the developer. */
  readonly needs: Permission;
  /** The stored state afterwards; `same`: as it was; `former`: as it was before it was revoked. */
  readonly to: StoredKeyState | "same" | "former";
  /** The errors if one of these is true of the key. */
  readonly refused: Readonly<Partial<Record<typeof obstacles[number], FailureCode>>>;
}

/** Every move. A test does each of them to a key of each kind. */
export const keyMoves = {
  /** It opens nothing until it is resumed; its developer's maps keep it. */
  suspend: {
    needs: "approve",
    to: "suspended",
    refused: { revoked: "key_revoked", suspended: "key_suspended" },
  },
  resume: {
    needs: "approve",
    to: "active",
    refused: { revoked: "key_revoked", active: "key_not_suspended" },
  },
  /**
   * It leaves its developer's maps. For good where its caller holds `approve`; else it can be
   * restored for a while.
   */
  revoke: { needs: "revoke", to: "revoked", refused: { revoked: "key_revoked" } },
  /** Of a revoked key that can be brought back; of another one it is refused as `key_revoked`. */
  restore: {
    needs: "approve",
    to: "former",
    refused: { suspended: "key_not_revoked", active: "key_not_revoked" },
  },
  setPlans: { needs: "approve", to: "same", refused: { revoked: "key_revoked" } },
  setExpiry: { needs: "approve", to: "same", refused: { revoked: "key_revoked" } },
  /** Takes the end away. A rotated key must keep one. */
  clearExpiry: {
    needs: "approve",
    to: "same",
    refused: { revoked: "key_revoked", rotated: "key_rotated" },
  },
  /** Mints another that takes over. Only what opens something can be replaced. */
  rotate: {
    needs: "approve",
    to: "same",
    refused: {
      revoked: "key_revoked",
      rotated: "key_rotated",
      expired: "key_expired",
      suspended: "key_suspended",
    },
  },
} as const satisfies Readonly<Record<string, KeyMove>>;

/** The name of a move. */
export type KeyMoveName = keyof typeof keyMoves;

/** A move that changes the stored state. */
export type StateChange = "suspend" | "resume" | "revoke";

/** Throws what a move throws for this key at `now`, unless it can be made. */
export function requireMove(name: KeyMoveName, key: MovedKey, now: string): void {
  const code = refusalOf(name, key, now);
  if (code !== undefined) throw new Failure(code);
}

/** A key that a person wants to move. */
type MovedKey = KeyStanding & { replaced_by: string | null };

/** The error of a change of this key at `now`; undefined: it is possible. */
export function refusalOf(name: KeyMoveName, key: MovedKey, now: string): FailureCode | undefined {
  const { refused }: KeyMove = keyMoves[name];
  return obstacles.filter((one) => stands(one, key, now)).map((one) => refused[one])
    .find((code) => code !== undefined);
}

function stands(obstacle: typeof obstacles[number], key: MovedKey, now: string): boolean {
  if (obstacle === "rotated") return key.replaced_by !== null;
  return obstacle === "expired" ? stateOf(key, now) === "expired" : key.state === obstacle;
}

/**
 * The state at `now`, written as our own times are. A revoked key stays revoked when its time is
 * over too.
 */
export function stateOf(key: KeyStanding, now: string): KeyState {
  return key.state !== "revoked" && endOf(key) <= now ? "expired" : key.state;
}

/** The value of a time that never comes: it sorts behind all others. */
export const NEVER = "~";

/**
 * When the state at `now`, or that it can be brought back, becomes another by itself; NEVER: only a
 * person's change makes it another.
 */
export function turnsAt(key: KeyStanding & { undo_until: string | null }, now: string): string {
  const end = key.state === "revoked" ? key.undo_until ?? NEVER : endOf(key);
  return end <= now ? NEVER : end;
}

/** The part of a key in its revision: all that people change, and not its last use. */
interface RevisedKey extends LabelColumns {
  state: StoredKeyState;
  /** A JSON array, as it is stored. */
  plans: string;
  expires_at: string | null;
  replaced_by: string | null;
  algorithm: StoredAlgorithm;
  /** As they are stored; null: none. */
  conditions: string | null;
}

/** A key's revision, which its `ETag` holds. */
export function keyRevision(key: RevisedKey): string {
  const { state, plans, expires_at, replaced_by, algorithm, conditions } = key;
  const labels = LABELS.map((label) => key[label]);
  const own = conditions === null ? [] : [conditions];
  return revisionOf([state, plans, expires_at, replaced_by, algorithm, ...labels, ...own]);
}

/** When a key ends; for an imported one, never used, by when it must have been; or NEVER. */
function endOf({ expires_at, algorithm, use_before }: KeyStanding): string {
  const ends = [expires_at, algorithm === "sha256" ? null : use_before];
  return ends.reduce<string>((first, end) => end !== null && end < first ? end : first, NEVER);
}

/** An end as keys keep it; null where none is said. */
export function sentEnd(sent: string | undefined): string | null {
  return sent === undefined ? null : toTimestamp(Date.parse(sent));
}

/** An end that a person chose, if any did. Throws `invalid_input` for one that is over at `now`. */
export function endToCome(expires_at: string | null | undefined, now: number): string | undefined {
  if (expires_at === null || expires_at === undefined) return undefined;
  if (expires_at > toTimestamp(now)) return expires_at;
  const message = "expires_at: expected a time to come";
  throw new Failure("invalid_input", { message, details: [message] });
}
