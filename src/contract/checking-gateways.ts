/** What doors that nobody set up count as; no door can have this name. */
export const OTHER = "other";

/** The form of a door's name. */
export const DOOR_NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/;

/** The version that the documented file of each kind says it has; a test holds them to it. */
export const fileVersions = {
  nginx: "1",
  caddy: "1",
  haproxy: "1",
  envoy: "1",
  traefik: "1",
  plugin: "1",
} as const;

/** What stands at a door. */
export const doorKinds = [
  "nginx",
  "caddy",
  "haproxy",
  "envoy",
  "traefik",
  "plugin",
  "other",
] as const;
