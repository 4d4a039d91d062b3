import type { Gateway } from "../../api/gateways.ts";

/** What somebody writes of a gateway, as it is now. */
export function writtenOf({ name, url, probe_url, plans, policies, calls_per_second }: Gateway) {
  return { name, url, probe_url, plans, policies, calls_per_second };
}
