import type { Actor } from "../../changes/audit.ts";
import { recordChange } from "../../changes/record-change.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import type { Tx } from "../../storage/storage.ts";
import type { Reveal } from "../credentials/issue-credential.transactions.ts";
import { claimHash, type NewClaim } from "./claim.ts";
import { insertClaim } from "./claims.store.ts";

/**
 * Keeps a credential for whoever opens the claim: encrypted under a key of the token, of which the store has only the
 * hash, and sealed. So neither a copy of the store nor the server without the link can read it.
 */
export async function issueClaim(
  tx: Tx,
  actor: Actor,
  order: { claim: NewClaim; reveal: Reveal; key_id: string; request_id: string },
): Promise<void> {
  const { claim: { id, token, expires_at }, reveal, key_id, request_id } = order;
  const { org_id } = actor;
  const created_at = toTimestamp(actor.now);
  await insertClaim(tx, {
    ...{ org_id, id, key_id, request_id, expires_at, created_at },
    hash: claimHash(token),
    created_by: actor.user_id,
    secret: tx.sealer.sealTwice(token, secretPlace(org_id, id), JSON.stringify(reveal)),
  });
  const detail = { request_id, key_id, expires_at };
  await recordChange(tx, actor, {
    action: "claim.created",
    object_id: id,
    detail,
  });
}

/** Where a claim's secret is sealed for. */
export function secretPlace(org_id: string, id: string) {
  return { table: "claims", org_id, id, column: "secret" };
}
