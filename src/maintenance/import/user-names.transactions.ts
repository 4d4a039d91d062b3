import type { Actor } from "../../changes/audit.ts";
import { findOwner } from "../../features/keys/key-life.store.ts";
import { findImportedAs } from "../../features/keys/murmur.store.ts";
import { lockKeyWithOwner } from "../../features/keys/lock-key.transactions.ts";
import { changeLockedKey } from "../../features/keys/key-life.transactions.ts";
import { defineTransaction } from "../../storage/storage.ts";
import { importedOf } from "./imports.store.ts";

/**
 * Suspends a key that came by an import and is a user name: its name alone would open. False where
 * there is none that is active, so it does so once; a key that asks for a password stays as it is.
 * No import resumes it.
 */
export const suspendUserName = defineTransaction(
  "moving-in.suspend-user-name",
  async (tx, { actor, id }: { actor: Actor; id: string }): Promise<boolean> => {
    const { org_id } = actor;
    if (!(await importedOf(tx, org_id, "key", [id])).has(id)) return false;
    const isItself = await findOwner(tx, { org_id, key_id: id }) !== undefined;
    // It was known by a murmur hash, and has another id since it was used.
    const key_id = isItself ? id : await findImportedAs(tx, { org_id, imported_as: id });
    const locked = key_id === undefined ? undefined : await lockKeyWithOwner(tx, org_id, key_id);
    if (locked?.credential.state !== "active" || locked.credential.kind !== "token") return false;
    await changeLockedKey(tx, actor, locked, "suspend", "basic_password");
    return true;
  },
);
