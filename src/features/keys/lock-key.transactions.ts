import type { Actor } from "../../changes/audit.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Tx } from "../../storage/storage.ts";
import { findOwner, type LockedKeyRow, lockKey } from "./key-life.store.ts";
import type { Developer } from "../developers/developer.ts";
import { lockDeveloper } from "../developers/developers.store.ts";
import { type Coverage, coverageOfActor } from "../plans/coverage.ts";

/** A key and its developer, both held until the transaction ends. */
export interface LockedKey {
  credential: LockedKeyRow;
  /** Undefined where the developer is gone and the key was kept. */
  developer: Developer | undefined;
  /** Of what alone anyone who holds it decides; absent: everything. */
  coverage?: Coverage;
}

/**
 * Holds a key for a person: one outside of their scope, as this transaction reads it, is none.
 * Otherwise like lockKeyWithOwner, which is for what no one asked for.
 */
export async function lockSeenKey(
  tx: Tx,
  actor: Actor,
  key_id: string,
  owner: string | null = null,
): Promise<LockedKey | undefined> {
  const locked = await lockKeyWithOwner(tx, actor.org_id, key_id, owner);
  const coverage = locked && await coverageOfActor(tx, actor);
  if (!coverage) return locked;
  return coverage.holds(locked.credential.plans) ? { ...locked, coverage } : undefined;
}

/**
 * Throws `not_found` where anyone who repeats a call has a scope, and sees one of these keys no
 * more that it tells of.
 */
export async function requireStillSeen(
  tx: Tx,
  actor: Actor,
  ...key_ids: readonly string[]
): Promise<void> {
  if (!await coverageOfActor(tx, actor)) return;
  for (const key_id of key_ids) {
    if (!await lockSeenKey(tx, actor, key_id)) throw new Failure("not_found");
  }
}

/**
 * Holds a key, its developer first: locks that are taken in one order can't deadlock. Undefined
 * where the organisation has no such key, or `owner` is given and it is another person's.
 */
export async function lockKeyWithOwner(
  tx: Tx,
  org_id: string,
  key_id: string,
  owner: string | null = null,
): Promise<LockedKey | undefined> {
  const developer_id = await findOwner(tx, { org_id, key_id });
  if (developer_id === undefined || (owner !== null && developer_id !== owner)) return undefined;
  const developer = await lockDeveloper(tx, org_id, developer_id);
  const key = await lockKey(tx, org_id, key_id);
  if (!key) return undefined;
  // It has just changed hands; anyone who asks again finds it there.
  if (key.developer_id !== developer_id) throw new Failure("unavailable");
  // They have just been brought back, and their keys with them.
  if (!developer && await lockDeveloper(tx, org_id, developer_id)) throw new Failure("unavailable");
  return { credential: key, developer };
}
