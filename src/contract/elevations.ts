import type { Permission } from "./permissions.ts";

/** How somebody proves that they may be elevated. */
export const elevationProofs = ["passkey", "second_person"] as const;
/** One of them. */
export type ElevationProof = typeof elevationProofs[number];

/** What an elevation can be. */
export const elevationStates = ["asked", "open", "ended"] as const;

/**
 * Why one ended: by its time, by somebody, with its session, or because its rule, its role or its
 * person was changed.
 */
export const elevationEnds = ["time", "by_hand", "session", "rule", "role", "person"] as const;
/** One of them. */
export type ElevationEnd = typeof elevationEnds[number];

/** How long one lasts at the most, in minutes. */
export const MOST_ELEVATED_MINUTES = 8 * 60;
/** How long a second person has to say yes, in minutes. */
export const CONFIRM_MINUTES = 10;
/** Rules that an organisation has at once. */
export const MOST_ELEVATION_RULES = 20;

/** What no elevation gives: who may do what is not changed in one, and nobody else acts by it. */
const NEVER: readonly Permission[] = [
  "admin",
  "operator",
  "metrics",
  "act:developer",
  "verify",
  "gateways:map",
];

/** What a role gives by an elevation: `admin:read` in the place of `admin`. */
export function elevatedBy(role: readonly Permission[]): Permission[] {
  const given = role.filter((one) => !NEVER.includes(one));
  return role.includes("admin") && !given.includes("admin:read") ? [...given, "admin:read"] : given;
}
