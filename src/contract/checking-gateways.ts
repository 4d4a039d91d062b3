/** The count's name for gateways that are not configured; no gateway can have this name. */
export const OTHER = "other";

/** The form of the name of a gateway that checks each call. */
export const GATEWAY_NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/;

/** The version that the documented file of each product states; a test holds them to it. */
export const fileVersions = {
  nginx: "2",
  caddy: "2",
  haproxy: "2",
  envoy: "2",
  traefik: "2",
  tyk: "2",
} as const;

/** Products that check each call. */
export const checkingKinds = [
  "nginx",
  "caddy",
  "haproxy",
  "envoy",
  "traefik",
  "tyk",
  "other",
] as const;

/** One of them. */
export type CheckingKind = typeof checkingKinds[number];

/** The word that rows have for a product. */
export function storedKind(kind: CheckingKind): string {
  return kind === "tyk" ? "plugin" : kind;
}

/** The product that a row names. */
export function kindOfRow(stored: string): CheckingKind {
  const kind = stored === "plugin" ? "tyk" : stored;
  return checkingKinds.find((one) => one === kind) ?? OTHER;
}
