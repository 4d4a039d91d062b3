import type { Gateway } from "../../api/gateways.ts";

/** The names of products. */
export const kindNames: Record<Gateway["kind"], string> = {
  nginx: "nginx",
  caddy: "Caddy",
  haproxy: "HAProxy",
  envoy: "Envoy",
  traefik: "Traefik",
  tyk: "Tyk Gateway",
  agentgateway: "agentgateway",
  other: "Another product",
};

/** How a gateway is connected, in words. */
export const connectionNames: Record<Gateway["connection"], string> = {
  checks: "Checks each call",
  synced: "Synced",
  map: "Map of keys",
};
