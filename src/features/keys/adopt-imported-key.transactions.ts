import type { Actor } from "../../changes/audit.ts";
import { invalidate } from "../../changes/invalidation.ts";
import { recordChange } from "../../changes/record-change.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { defineTransaction } from "../../storage/storage.ts";
import { withKeyId } from "../developers/developer.ts";
import { updateDeveloper } from "../developers/developers.store.ts";
import { keyExists } from "./keys.store.ts";
import { lockKeyWithOwner } from "./lock-key.transactions.ts";
import { stateOf } from "./key.ts";
import { rehashKey } from "./murmur.store.ts";

/** An imported key at its first use: the id that it has yet, and the key's own SHA-256. */
interface Adoption {
  actor: Actor;
  /** A murmur hash, or the hash of a chosen text, as it was wrapped where it came from. */
  former_id: string;
  key_id: string;
  /** True: a person chose the text, and it is so short that it may be guessed. */
  isWeak: boolean;
}

/**
 * Gives an imported key its SHA-256 as key id, in the key, its uses, its quotas, the lists and its
 * developer's maps. False when there is nothing to do: no one has such an id any more (another
 * person adopted it), it is not active, no import marked it, or the SHA-256 is taken. The caller
 * then looks the SHA-256 up again.
 */
export const adoptImportedKey = defineTransaction(
  "keys.adopt-imported",
  async (tx, { actor, former_id, key_id, isWeak }: Adoption): Promise<boolean> => {
    const { org_id, now } = actor;
    const locked = await lockKeyWithOwner(tx, org_id, former_id);
    if (!locked) return false;
    const { credential: key, developer } = locked;
    if (key.algorithm === "sha256" && key.wrapped_by === null) return false;
    if (stateOf(key, toTimestamp(now)) !== "active") return false;
    if (await keyExists(tx, { org_id, key_id })) return false;
    if (!await rehashKey(tx, key, { key_id, weak: isWeak ? "short" : null })) {
      return false;
    }
    if (developer) await updateDeveloper(tx, org_id, withKeyId(developer, former_id, key_id));
    const { algorithm } = key;
    const detail = { before: former_id, algorithm, ...isWeak ? { weak: true } : {} };
    const action = "credential.rehashed";
    await recordChange(tx, actor, { action, object_id: key_id, detail });
    // The new id too: until now it was known to be unknown.
    for (const object_id of [former_id, key_id]) {
      await invalidate(tx, { org_id, kind: "key", object_id, now });
    }
    return true;
  },
);
