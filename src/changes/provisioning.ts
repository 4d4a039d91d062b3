import { toTimestamp } from "../kernel/clock.ts";
import type { SealedPlace } from "../kernel/sealing/sealer.ts";
import type { Tx } from "../storage/storage.ts";
import { insertNew, wantAllKeys, wantKey } from "./provisioning.store.ts";

/**
 * The parts of a key's secret at a gateway: the key, user name or client_id, and its password or
 * secret.
 */
export interface KeySecret {
  key: string;
  password: string;
  /** Of an OAuth client. */
  redirect_uri: string;
}

/** The sealing context of a newly issued key's secret. */
export function placeOfNewSecret(org_id: string, key_id: string): SealedPlace {
  return { table: "provisioning_new", org_id, id: key_id, column: "secret" };
}

/** The sealing context of a key's secret once gateways have rows of it. */
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
 * Queues a key that was stored with this `now`, whose secret is kept for its gateways. It is new to
 * them until the sync has taken it over; changes before that go by `want`.
 */
export async function wantNew(
  tx: Tx,
  { org_id, key_id, now }: { org_id: string; key_id: string; now: number },
  secret: KeySecret,
): Promise<void> {
  const sealed = tx.sealer.seal(placeOfNewSecret(org_id, key_id), JSON.stringify(secret));
  await insertNew(tx, { org_id, issued_at: toTimestamp(now), key_id, secret: sealed });
}
