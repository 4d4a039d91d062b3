import type { SyncedGateway } from "../../api/gateways.ts";

/** A person's settings of a gateway, as they are now. */
export function writtenOf(gateway: SyncedGateway) {
  const { name, url, probe_url, redis_url, plans, policies } = gateway;
  const { calls_per_second, certificates } = gateway;
  const { api = "", socket = "", reload_seconds = null } = gateway.map ?? {};
  const map = gateway.map && { api, socket, reload_seconds };
  const more = { calls_per_second, certificates };
  return { name, url, probe_url, redis_url, map, plans, policies, ...more };
}
