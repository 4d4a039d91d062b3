import { toTimestamp } from "../../../kernel/clock.ts";
import type { GatewayContext } from "../gateway-context.ts";
import type { GatewayRow } from "../gateway.ts";
import { mapReaders } from "./map-readers.store.ts";

/** A proxy whose token has ended is taken as stopped so long after it fetched last. */
const STOPPED_MS = 7 * 24 * 60 * 60_000;

/** The proxies that go by the map of a gateway, as far as they fetch it. */
export async function readersOf(
  { storage, clock }: Pick<GatewayContext, "storage" | "clock">,
  { org_id, id: gateway_id, map }: Pick<GatewayRow, "org_id" | "id" | "map">,
) {
  if (map === null) return [];
  const now = clock.now();
  const times = { now: toTimestamp(now), since: toTimestamp(now - STOPPED_MS) };
  return await mapReaders(storage.reader, { org_id, gateway_id, ...times });
}
