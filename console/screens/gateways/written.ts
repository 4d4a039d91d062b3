import type { Gateway } from "../../api/gateways.ts";

/** What somebody writes of a gateway, as it is now. */
export function writtenOf(gateway: Gateway) {
  const { name, url, probe_url, redis_url, plans, policies } = gateway;
  const { calls_per_second, certificates } = gateway;
  const map = gateway.map &&
    { api: gateway.map.api, form: gateway.map.form, socket: gateway.map.socket };
  const more = { calls_per_second, certificates };
  return { name, url, probe_url, redis_url, map, plans, policies, ...more };
}
