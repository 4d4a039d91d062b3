import type { Actor } from "../../changes/audit.ts";
import { invalidate } from "../../changes/invalidation.ts";
import { recordChange } from "../../changes/record-change.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { defineTransaction } from "../../storage/storage.ts";
import { credentialExists } from "./credentials.store.ts";
import { rehashCredential } from "./murmur.store.ts";
import { withKeyId } from "../developers/developer.ts";
import { updateDeveloper } from "../developers/developers.store.ts";
import { holdKey } from "./hold-key.transactions.ts";
import { stateOf } from "./key.ts";

/** An imported key at its first use: the murmur hash that names it so far, and the SHA-256 of the key itself. */
export interface Adoption {
  actor: Actor;
  murmur_id: string;
  key_id: string;
}

/**
 * Gives an imported key its SHA-256 as key id, in the credential, its uses, the lists and its developer's maps.
 * False when there is nothing to do: nobody has such a hash any more (somebody else adopted it), it is not active,
 * or the SHA-256 is taken. The caller then looks the SHA-256 up again.
 */
export const adoptMurmurKey = defineTransaction(
  "keys.adopt-murmur",
  async (tx, { actor, murmur_id, key_id }: Adoption): Promise<boolean> => {
    const { org_id, now } = actor;
    const held = await holdKey(tx, org_id, murmur_id);
    if (!held || held.credential.algorithm === "sha256") return false;
    const { credential, developer } = held;
    if (stateOf(credential, toTimestamp(now)) !== "active") return false;
    if (await credentialExists(tx, { org_id, key_id })) return false;
    if (!await rehashCredential(tx, credential, key_id)) return false;
    if (developer) await updateDeveloper(tx, org_id, withKeyId(developer, murmur_id, key_id));
    const detail = { before: murmur_id, algorithm: credential.algorithm };
    const action = "credential.rehashed";
    await recordChange(tx, actor, { action, object_id: key_id, detail });
    // The new id too: until now it was known to be unknown.
    for (const object_id of [murmur_id, key_id]) {
      await invalidate(tx, { org_id, kind: "key", object_id, now });
    }
    return true;
  },
);
