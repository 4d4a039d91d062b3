import {
  insertRequest,
  lockRequest,
  replaceRequest,
} from "../../features/key-requests/key-requests.store.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Tx } from "../../storage/storage.ts";
import type { RequestItem } from "./items.ts";

/**
 * Adds or replaces a key request. What was decided there is issued here, so no approval can ever
 * mint a key of it; and what is issued here stays so.
 */
export async function takeRequest(
  tx: Tx,
  org_id: string,
  item: RequestItem,
  replaces: boolean,
): Promise<boolean> {
  const { columns, id, decided } = item;
  const place = { table: "key_requests", org_id, id, column: "secrets" };
  const secrets = item.secrets && tx.sealer.seal(place, JSON.stringify(item.secrets));
  if (!replaces) {
    const state = decided ? "issued" : "pending";
    await insertRequest(tx, { ...columns, state, approved: decided ? 1 : 0, secrets });
    return true;
  }
  const before = await lockRequest(tx, { org_id, id });
  if (!before) throw new Failure("unavailable");
  const state = decided ? "issued" : before.state;
  const approved = state === "issued" ? 1 : 0;
  await replaceRequest(tx, { ...columns, state, approved, secrets }, before);
  return true;
}
