/** The permissions of access tokens. `write` of an area includes its `read`. */
export const permissions = [
  "portal:read",
  "portal:write",
  "certs:read",
  "certs:write",
  "plans",
  "approve",
  "revoke",
  "act:developer",
  "verify",
  "gateways:map",
  "secrets",
  "audit",
  "metrics",
  "config",
  "admin:read",
  "admin",
  "operator",
] as const;

/** One permission. */
export type Permission = typeof permissions[number];

/**
 * The access rule of an endpoint: none, a developer who calls for themselves, or any one of these
 * permissions.
 */
export type PermissionRule = "public" | "developer" | readonly [Permission, ...Permission[]];

/** The permissions that open an endpoint; none where it asks for no permission. */
export function permissionsOf(rule: PermissionRule): readonly Permission[] {
  return typeof rule === "string" ? [] : rule;
}

/**
 * True when `granted` holds `wanted`, directly, through the area's `write`, `revoke` through
 * `approve`, `admin:read` through `admin`, or `config` through `admin:read` and `portal:read`,
 * which read all that it reads.
 */
export function allows(granted: readonly Permission[], wanted: Permission): boolean {
  return granted.includes(wanted) ||
    (wanted === "portal:read" && granted.includes("portal:write")) ||
    (wanted === "certs:read" && granted.includes("certs:write")) ||
    (wanted === "revoke" && granted.includes("approve")) ||
    (wanted === "admin:read" && granted.includes("admin")) ||
    (wanted === "config" && allows(granted, "admin:read") && allows(granted, "portal:read"));
}

/** Stored words of permissions that have another name now: rows keep them, with their checksums. */
const STORED: Partial<Record<Permission, string>> = { "gateways:map": "doors" };

/** Permissions as rows keep them: each once, in one order. */
export function storedPermissions(granted: readonly Permission[]): string[] {
  return permissions.flatMap((one) => granted.includes(one) ? STORED[one] ?? one : []);
}

/** The permissions that stored words grant; others grant nothing. */
export function readPermissions(words: readonly string[]): Permission[] {
  return permissions.filter((one) => words.includes(STORED[one] ?? one));
}
