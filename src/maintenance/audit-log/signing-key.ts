import {
  newSigningKey,
  publicHalf,
  signCheckpoint,
  type TreeHead,
} from "../../../packages/audit-log/checkpoint.ts";
import type { Sealer } from "../../kernel/sealing/sealer.ts";
import { sha256 } from "../../kernel/sha256.ts";
import type { AuditLogKey } from "./logs.store.ts";

/** A key as it is stored: the private half sealed in its place. */
export interface SealedKey {
  id: string;
  public_key: string;
  private_key: string;
}

/** A fresh key for checkpoints. */
export function newAuditLogKey(sealer: Sealer): SealedKey {
  const { private_key, public_key } = newSigningKey();
  const id = sha256(public_key).slice(0, 16);
  return { id, public_key, private_key: sealer.seal(placeOf(id), private_key) };
}

/** The newest key that is not lost; undefined where there is none. */
export function usableKey(keys: readonly AuditLogKey[]): SealedKey | undefined {
  for (const { id, public_key, private_key } of keys) {
    if (private_key !== null) return { id, public_key, private_key };
  }
  return undefined;
}

/**
 * The head signed with a key; undefined where the sealing key that the key was sealed with is not
 * at hand.
 */
export function signedBy(key: SealedKey, sealer: Sealer, head: TreeHead): string | undefined {
  const privateKey = openedKey(key, sealer);
  return privateKey && signCheckpoint(head, privateKey);
}

/**
 * The private half of a key; undefined where the sealing key that it was sealed with is not at
 * hand.
 */
function openedKey(key: SealedKey, sealer: Sealer): string | undefined {
  const place = placeOf(key.id);
  return sealer.canOpen(place, key.private_key) ? sealer.open(place, key.private_key) : undefined;
}

/**
 * Whether a key is Keydesk's own: a sealing key at hand unseals its private half, which gives the
 * public one. An attacker with the database alone can put a key into the store, but none that
 * passes.
 */
export function isOwn({ id, public_key, private_key }: AuditLogKey, sealer: Sealer): boolean {
  const place = placeOf(id);
  return private_key !== null && sealer.canOpen(place, private_key) &&
    publicHalf(sealer.open(place, private_key)) === public_key;
}

function placeOf(id: string) {
  return { table: "trail_keys", org_id: "", id, column: "private_key" };
}
