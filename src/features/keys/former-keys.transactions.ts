import type { Actor } from "../../changes/audit.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import type { Tx } from "../../storage/storage.ts";
import type { Developer } from "../developers/developer.ts";
import { noteRegisteredAnew } from "../developers/email-change.transactions.ts";
import { isOfAnother, type NewEmailLinks } from "../developers/email-proof.ts";
import { findEmailProof } from "../developers/email-proof.store.ts";
import { hasFormerKeys } from "./end-keys.store.ts";

/**
 * To be called by whatever registers a developer, in whichever way: keys that named the id before
 * are not theirs, nor is what they come back to, until a person says so. See noteRegisteredAnew.
 */
export async function keepFormerKeysApart(
  tx: Tx,
  actor: Actor,
  registered: Developer,
  links?: NewEmailLinks,
): Promise<void> {
  const { org_id } = actor;
  const named = { org_id, developer_id: registered.id, now: toTimestamp(actor.now) };
  if (await hasFormerKeys(tx, named)) await noteRegisteredAnew(tx, actor, registered, links);
}

/**
 * Whether a key of this developer is kept apart so: whatever is done to it puts it, or what takes
 * over, into no map of theirs.
 */
export async function isKeptApart(
  tx: Tx,
  org_id: string,
  { id, keys }: Developer,
  key_id: string,
): Promise<boolean> {
  return !Object.hasOwn(keys, key_id) && isOfAnother(await findEmailProof(tx, { org_id, id }));
}
