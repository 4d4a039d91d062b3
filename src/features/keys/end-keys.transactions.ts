import type { Actor } from "../../changes/audit.ts";
import type { EventNames } from "../../changes/event-names.ts";
import { invalidate } from "../../changes/invalidation.ts";
import { recordChange } from "../../changes/record-change.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import type { Tx } from "../../storage/storage.ts";
import type { KeyMaps } from "../developers/key-maps.ts";
import type { StoredKeyState } from "./key-kinds.ts";
import { type LockedKeyRow, markState } from "./key-life.store.ts";
import { sealKept } from "./ended-key.ts";
import { insertEndedKey } from "./ended-keys.store.ts";
import { calledKey } from "./key-labels.ts";

/** The action on a developer's keys when the developer is deleted. */
export type KeysChoice = "revoke" | "keep";

/** How a developer's keys are ended together. */
interface EndOfMany {
  reason: string;
  /** Until when they can be brought back; null: for good. */
  undo_until: string | null;
  /** The deletion that they come back with; "": each by itself. */
  deletion: string;
  /** Their entries in their developer's maps, if each of them can be restored by itself. */
  maps?: ReadonlyMap<string, KeyMaps>;
  /** The developer's. */
  names: EventNames | undefined;
}

/**
 * Revokes keys of one developer that this transaction holds; their developer's maps are the
 * caller's. To be called last: verification's counter is held from here to the commit.
 */
export async function endKeys(
  tx: Tx,
  actor: Actor,
  keys: readonly LockedKeyRow[],
  how: EndOfMany,
): Promise<void> {
  const { org_id, user_id: ended_by } = actor;
  const { undo_until: until, deletion, maps, reason } = how;
  for (const { key_id, developer_id, state, stored } of keys) {
    if (until === null || state === "revoked") continue;
    const kept = { state, reason: stored.state_reason, until, maps: maps?.get(key_id) ?? null };
    const sealed = sealKept(tx.sealer, org_id, key_id, kept);
    const row = { key_id, developer_id, deletion, ended_by, kept: sealed, expires_at: until };
    await insertEndedKey(tx, { org_id, ...row });
  }
  const undo = until === null ? {} : { undo_until: until };
  await moveKeys(tx, actor, keys, {
    to: "revoked",
    action: "credential.revoked",
    reason,
    names: how.names,
    detail: undo,
  });
}

/** Moves keys of one developer that this transaction holds to a state. Call it last, as above. */
export async function moveKeys(
  tx: Tx,
  actor: Actor,
  keys: readonly LockedKeyRow[],
  { to, action, reason, names, detail = {} }: {
    to: StoredKeyState;
    action: "credential.revoked" | "credential.suspended" | "credential.resumed";
    reason: string;
    names: EventNames | undefined;
    detail?: Readonly<Record<string, unknown>>;
  },
): Promise<void> {
  const { org_id, now } = actor;
  for (const key of keys) {
    const { key_id: object_id, developer_id } = key;
    await markState(tx, key, { state: to, at: toTimestamp(now), reason });
    await recordChange(tx, actor, {
      action,
      object_id,
      detail: { reason, developer_id, ...detail },
      names: { object: calledKey(key), ...names },
    });
  }
  for (const { key_id } of keys) {
    await invalidate(tx, { org_id, kind: "key", object_id: key_id, now });
  }
}
