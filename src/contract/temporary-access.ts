import type { Permission } from "./permissions.ts";

/** How a person proves that they may get temporary access. */
export const temporaryAccessProofs = ["passkey", "second_person"] as const;
/** One of them. */
export type TemporaryAccessProof = typeof temporaryAccessProofs[number];

/** The states of temporary access. */
export const temporaryAccessStates = ["asked", "open", "ended"] as const;

/**
 * Why one ended: by its time, by a person, with its session, or because its rule, its role or its
 * person was changed.
 */
export const temporaryAccessEnds = [
  "time",
  "by_hand",
  "session",
  "rule",
  "role",
  "person",
] as const;
/** One of them. */
export type TemporaryAccessEnd = typeof temporaryAccessEnds[number];

/** How long one lasts at the most, in minutes. */
export const MOST_TEMPORARY_ACCESS_MINUTES = 8 * 60;
/** How long a second person has to say yes, in minutes. */
export const CONFIRM_MINUTES = 10;
/** Rules that an organisation has at once. */
export const MOST_TEMPORARY_ACCESS_RULES = 20;

/**
 * Permissions that no temporary access gives: it changes no permissions, and acts for no other
 * person.
 */
const NEVER: readonly Permission[] = [
  "admin",
  "operator",
  "metrics",
  "act:developer",
  "verify",
  "gateways:map",
];

/** The permissions of a role by temporary access: `admin:read` in the place of `admin`. */
export function temporaryPermissionsOf(role: readonly Permission[]): Permission[] {
  const given = role.filter((one) => !NEVER.includes(one));
  return role.includes("admin") && !given.includes("admin:read") ? [...given, "admin:read"] : given;
}
