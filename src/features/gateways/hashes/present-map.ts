import type { GatewayRow } from "../gateway.ts";
import { presentKeysBehind } from "../present-key.store.ts";
import { Plans, type PresentContext, wantedOfRow } from "../present-key.service.ts";
import { entryOf } from "./map-entry.ts";

/** Keys that are read at once. */
const KEYS = 500;

/**
 * The hashes that open at a gateway by now, each with its entry, in their order and in groups. They
 * are read from the store as they are wanted, so that any number takes the same memory.
 */
export async function* presentMap(
  ctx: PresentContext,
  gateway: GatewayRow,
): AsyncGenerator<[hash: string, entry: string][], void, void> {
  const { org_id } = gateway;
  for (let behind = "";;) {
    const rows = await presentKeysBehind(ctx.storage.reader, { org_id, behind }, KEYS);
    const plans = new Plans(ctx, org_id);
    const group: [string, string][] = [];
    for (const row of rows) {
      const { wanted } = await wantedOfRow(ctx, gateway, row, plans);
      if (wanted.is === "open") group.push([row.key_id, entryOf(row.developer_id, wanted)]);
    }
    yield group;
    const last = rows.at(-1);
    if (!last || rows.length < KEYS) return;
    behind = last.key_id;
  }
}
