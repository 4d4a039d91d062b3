import { Failure } from "../../kernel/failure.ts";
import type { Tx } from "../../storage/storage.ts";
import { findOwner, type HeldCredential, lockCredential } from "./credential-life.store.ts";
import type { Developer } from "../developers/developer.ts";
import { lockDeveloper } from "../developers/developers.store.ts";

/** A credential and its developer, both held until the transaction ends. */
export interface LockedKey {
  credential: HeldCredential;
  /** Undefined where the developer is gone and the key was kept. */
  developer: Developer | undefined;
}

/**
 * Holds a key, its developer first: locks that are taken in one order can't deadlock. Undefined
 * where the organisation has no such key, or `owner` is given and it is somebody else's.
 */
export async function holdKey(
  tx: Tx,
  org_id: string,
  key_id: string,
  owner: string | null = null,
): Promise<LockedKey | undefined> {
  const developer_id = await findOwner(tx, { org_id, key_id });
  if (developer_id === undefined || (owner !== null && developer_id !== owner)) return undefined;
  const developer = await lockDeveloper(tx, org_id, developer_id);
  const credential = await lockCredential(tx, org_id, key_id);
  if (!credential) return undefined;
  // It has just changed hands; whoever asks again finds it there.
  if (credential.developer_id !== developer_id) throw new Failure("unavailable");
  // They have just been brought back, and their keys with them.
  if (!developer && await lockDeveloper(tx, org_id, developer_id)) throw new Failure("unavailable");
  return { credential, developer };
}
