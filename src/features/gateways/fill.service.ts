import type { GatewayContext } from "./gateway-context.ts";
import { broughtIn } from "./closing.ts";
import { type GatewayRow, stateTextOf } from "./gateway.ts";
import { presentKeysBehind } from "./present-key.store.ts";
import { Plans, wantedOfRow } from "./present-key.service.ts";
import { findProvisioned } from "./provisioned-keys.store.ts";
import { fillSome } from "./settle-key.transactions.ts";
import type { ServiceContext } from "../../calls/context.ts";
import { hasNewKeys, TAKEN_IN } from "./new-keys.store.ts";
import { takeIn } from "./new-keys.transactions.ts";

/** Keys that are compared in one turn. */
const KEYS = 500;
/** Earlier code had certificates compared first, and may have come no further. */
const AMONG_CERTIFICATES = "certificate ";

/**
 * Compares some keys with what was brought to a gateway, behind those that were compared before,
 * and has brought there what differs: all keys of a gateway that is new, and after a plan's change
 * those that it concerns.
 */
export async function fillSlice(ctx: GatewayContext, gateway: GatewayRow): Promise<void> {
  const { storage, clock } = ctx;
  const { org_id, id, filled_to: from } = gateway;
  if (from === null) return;
  const { reader } = storage;
  const behind = from.startsWith(AMONG_CERTIFICATES) ? "" : from;
  const rows = await presentKeysBehind(reader, { org_id, behind }, KEYS);
  const plans = new Plans(ctx, org_id);
  const key_ids: string[] = [];
  for (const row of rows) {
    const { key_id } = row;
    const { wanted, unfit } = await wantedOfRow(ctx, gateway, row, plans);
    const there = await findProvisioned(reader, { org_id, gateway_id: id, key_id });
    // A key that was never there, and is not to be, needs no row; an imported key may be there.
    const isImported = row.imported_as !== null || row.algorithm.startsWith("murmur");
    // A key that it can't take is listed with its reason.
    const isOfIt = wanted.is !== "absent" || unfit !== "" || isImported;
    const isNews = there ? broughtIn(there.held) !== stateTextOf(wanted) : isOfIt;
    if (isNews) key_ids.push(key_id);
  }
  const filled_to = rows.length < KEYS ? null : rows.at(-1)?.key_id ?? null;
  await storage.commit(fillSome, { org_id, id, from, filled_to, key_ids, now: clock.now() });
}

/** However many keys are new, what closes one waits for no more than these. */
const TRANSACTIONS = 10;

/**
 * Has every gateway wait for the keys that were issued since. On whichever node, and without the
 * right to bring them there: a node of older code that has it knows none of them by itself.
 */
export async function takeInNewKeys({ storage }: Pick<ServiceContext, "storage">): Promise<void> {
  if (!await hasNewKeys(storage.reader)) return;
  for (let n = 0; n < TRANSACTIONS; n++) {
    if (await storage.commit(takeIn, null) < TAKEN_IN) return;
  }
}
