/** What doors that nobody set up count as; no door can have this name. */
export const OTHER = "other";

/** The form of a door's name. */
export const DOOR_NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/;

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
