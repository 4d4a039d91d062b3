import type { Actor } from "../../../changes/audit.ts";
import { recordChange } from "../../../changes/record-change.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import type { Tx } from "../../../storage/storage.ts";
import { markClosed, openOneTimeLinksOf } from "./one-time-links.store.ts";

/**
 * Withdraws the open one-time links of a developer's keys; the transaction holds the developer, so
 * that no further one is made. Gives how many.
 */
export async function withdrawOneTimeLinksOf(
  tx: Tx,
  actor: Actor,
  developer_id: string,
  reason: string,
): Promise<number> {
  const { org_id } = actor;
  const at = toTimestamp(actor.now);
  let withdrawn = 0;
  for (const { id, request_id, key_id } of await openOneTimeLinksOf(tx, org_id, developer_id, at)) {
    // Opened at this moment: then the key is handed over.
    if (!await markClosed(tx, { org_id, id }, { state: "withdrawn", at })) continue;
    withdrawn++;
    await recordChange(tx, actor, {
      action: "claim.withdrawn",
      object_id: id,
      detail: { key_request_id: request_id, key_id, reason },
    });
  }
  return withdrawn;
}
