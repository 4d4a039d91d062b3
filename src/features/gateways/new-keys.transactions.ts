import { placeOfKeySecret, placeOfNewSecret } from "../../changes/provisioning.ts";
import { wantKey } from "../../changes/provisioning.store.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import type { Sealer } from "../../kernel/sealing/sealer.ts";
import { defineTransaction } from "../../storage/storage.ts";
import { lockNewKeys, putSecret, removeNewKey } from "./new-keys.store.ts";

/** For how long what a gateway needs to make a key is kept for one that does not answer. */
const SECRET_KEPT_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * Adds the rows of keys that were just issued, one for each gateway that there is by now. Gives how
 * many keys; fewer than TAKEN_IN: no more wait. Any node may at any time: each key is held, and
 * taken in once.
 */
export const takeIn = defineTransaction(
  "gateways.take-in",
  async (tx, _: null): Promise<number> => {
    const keys = await lockNewKeys(tx);
    for (const key of keys) {
      const { org_id, issued_at, key_id } = key;
      await wantKey(tx, { org_id, key_id, now: issued_at });
      const expires_at = toTimestamp(Date.parse(issued_at) + SECRET_KEPT_MS);
      await putSecret(tx, { org_id, key_id, secret: sealedAnew(tx.sealer, key), expires_at });
      await removeNewKey(tx, { org_id, issued_at, key_id });
    }
    return keys.length;
  },
);

/** Null: the secret was lost with its sealing key. */
function sealedAnew(
  sealer: Sealer,
  { org_id, key_id, secret }: { org_id: string; key_id: string; secret: string | null },
): string | null {
  const place = placeOfNewSecret(org_id, key_id);
  if (secret === null || !sealer.canOpen(place, secret)) return null;
  return sealer.seal(placeOfKeySecret(org_id, key_id), sealer.open(place, secret));
}
