import { toTimestamp } from "../kernel/clock.ts";
import type { SealedPlace } from "../kernel/sealing/sealer.ts";
import type { Tx } from "../storage/storage.ts";
import { insertNew, wantAllKeys, wantKey } from "./provisioning.store.ts";

/** What makes a key at a gateway: the key, user name or client_id, and its password or secret. */
export interface KeySecret {
  key: string;
  password: string;
  /** Of an OAuth client. */
  redirect_uri: string;
}

/** Where the secret of a key that was issued a moment ago is sealed. */
export function placeOfNewSecret(org_id: string, key_id: string): SealedPlace {
  return { table: "provisioning_new", org_id, id: key_id, column: "secret" };
}

/** Where a key's secret for gateways is sealed once they have rows of it. */
export function placeOfKeySecret(org_id: string, key_id: string): SealedPlace {
  return { table: "provisioning_secrets", org_id, id: key_id, column: "secret" };
}

/**
 * Says, in the transaction that changes a key or a plan, that the organisation's gateways are to be
 * brought to it. Of a key its new state must have been written before.
 */
export async function want(
  tx: Tx,
  changed: { org_id: string; kind: "key" | "plan"; object_id: string; now: number },
): Promise<void> {
  const { org_id, kind, object_id, now } = changed;
  if (kind === "plan") await wantAllKeys(tx, { org_id });
  else await wantKey(tx, { org_id, key_id: object_id, now: toTimestamp(now) });
}

/**
 * The same of a key that was stored with this `now`, whose secret is kept for its gateways. It is
 * new to them until whoever brings keys there has taken it in; what changes it before goes by
 * `want`.
 */
export async function wantNew(
  tx: Tx,
  { org_id, key_id, now }: { org_id: string; key_id: string; now: number },
  secret: KeySecret,
): Promise<void> {
  const sealed = tx.sealer.seal(placeOfNewSecret(org_id, key_id), JSON.stringify(secret));
  await insertNew(tx, { org_id, issued_at: toTimestamp(now), key_id, secret: sealed });
}
