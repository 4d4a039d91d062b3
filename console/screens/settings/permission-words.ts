import { type Permission, permissions } from "../../../src/contract/permissions.ts";

const words: Readonly<Record<Permission, readonly [name: string, hint: string]>> = {
  "portal:read": ["See requests, keys, developers, plans", ""],
  "portal:write": ["Change keys, developers, plans", "and all that is seen"],
  "certs:read": ["See certificates", ""],
  "certs:write": ["Add and delete certificates", "and see them"],
  approve: ["Approve and decline key requests", ""],
  verify: ["Verify keys", "for gateways"],
  secrets: ["Read sealed secrets in answers", "for portals"],
  admin: ["Administer people, credentials and activity", ""],
  operator: ["Make organisations", "for the operator of this server"],
};

/** What a permission lets one do. */
export function permissionName(permission: Permission): string {
  return words[permission][0];
}

/** Whom it is meant for, where that is not plain. */
export function permissionHint(permission: Permission): string {
  return words[permission][1];
}

/** In the order of the list of all. */
export function sorted(held: readonly Permission[]): Permission[] {
  return permissions.filter((one) => held.includes(one));
}

/** All in a few words, for one line. */
export function summaryOf(held: readonly Permission[]): string {
  if (held.includes("operator")) return "Operator";
  if (held.includes("admin")) return "Administrator";
  return sorted(held).join(", ") || "Nothing yet";
}
