import type { Actor } from "../../changes/audit.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import type { Ending } from "./ending.ts";
import type { KeyKind } from "./key-kinds.ts";
import { findImportedAs } from "./murmur.store.ts";
import { type LockedKey, lockSeenKey } from "./lock-key.transactions.ts";
import { endKey } from "./key-life.transactions.ts";

/** The possible names of a key: never the key itself. */
export interface KeyNames {
  /** Key ids, in the order in which they are looked for. */
  ids: string[];
  /** Murmur hashes under which it may have been imported before it was used. */
  formerIds: string[];
}

/**
 * Revokes the key that one of these names has, unless it is not the owner's; `owner` null:
 * anybody's. Throws `key_not_found`, for a revoked key too, `key_not_owned` and `too_many_revoked`.
 */
export const revokeNamed = defineTransaction(
  "keys.revoke-named",
  async (
    tx,
    input: {
      actor: Actor;
      names: KeyNames;
      owner: string | null;
      /** Of which kind it must be; absent: of any. */
      kind?: KeyKind;
      reason: string;
      ending: Ending;
    },
  ) => {
    const { actor, names, owner, kind, reason, ending } = input;
    const locked = await lockNamed(tx, actor, names);
    if (!locked || (kind !== undefined && locked.credential.kind !== kind)) {
      throw new Failure("key_not_found");
    }
    if (owner !== null && locked.credential.developer_id !== owner) {
      throw new Failure("key_not_owned");
    }
    await endKey(tx, actor, locked, { reason, ending });
    return null;
  },
  { withoutRoom: true },
);

/**
 * The first of them that is not revoked and that the actor sees, held. Former ids come last: a key
 * that is used meanwhile is found there.
 */
export async function lockNamed(
  tx: Tx,
  actor: Actor,
  names: KeyNames,
): Promise<LockedKey | undefined> {
  for (const id of names.ids) {
    const locked = await lockAlive(tx, actor, id);
    if (locked) return locked;
  }
  for (const formerId of names.formerIds) {
    const id = await findImportedAs(tx, { org_id: actor.org_id, imported_as: formerId });
    const locked = id === undefined ? undefined : await lockAlive(tx, actor, id);
    if (locked) return locked;
  }
  return undefined;
}

async function lockAlive(tx: Tx, actor: Actor, key_id: string): Promise<LockedKey | undefined> {
  const locked = await lockSeenKey(tx, actor, key_id);
  return locked?.credential.state === "revoked" ? undefined : locked;
}
