import type { GatewayContext } from "./gateway-context.ts";
import type { GatewayRow } from "./gateway.ts";
import { hasShadowCalls } from "./gateways.store.ts";

const HOUR_MS = 60 * 60 * 1000;
/**
 * For how long calls count as recent, in hours: a key with calls in the last day is included, and a
 * day's counts bear the hour of its beginning.
 */
const COUNTED_HOURS = 48;

/**
 * The API to call with keys of Keydesk's own; "": there is none, or calls are observed, which would
 * count ours as calls with unknown keys.
 */
export async function apiToCall(
  { storage, clock }: GatewayContext,
  { org_id, probe_url }: GatewayRow,
): Promise<string> {
  if (probe_url === "") return "";
  const from = Math.floor(clock.now() / HOUR_MS) - COUNTED_HOURS;
  return await hasShadowCalls(storage.reader, { org_id, from }) ? "" : probe_url;
}
