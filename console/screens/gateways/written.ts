import type { Gateway } from "../../api/gateways.ts";

/** What somebody writes of a gateway, as it is now. */
export function writtenOf(gateway: Gateway) {
  const { name, url, probe_url, plans, policies, calls_per_second, certificates } = gateway;
  const map = gateway.map &&
    { api: gateway.map.api, form: gateway.map.form, socket: gateway.map.socket };
  return { name, url, probe_url, map, plans, policies, calls_per_second, certificates };
}
