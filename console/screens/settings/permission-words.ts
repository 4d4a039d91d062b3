import type { Permission } from "../../../src/contract/permissions.ts";
import { listed } from "../../said.ts";

const words: Readonly<Record<Permission, readonly [name: string, hint: string, short: string]>> = {
  "portal:read": ["See requests, keys, developers, plans", "", "see requests and keys"],
  "portal:write": ["Change requests and developers", "and all that is seen", "change requests"],
  "certs:read": ["See certificates", "", "see certificates"],
  "certs:write": ["Add and delete certificates", "and see them", "change certificates"],
  plans: ["Change plans, the catalogue, what needs approval", "", "change plans"],
  approve: ["Approve and decline key requests", "", "approve"],
  revoke: ["Revoke keys", "part of approving; can be undone for 7 days", "revoke keys"],
  "act:developer": ["Sign developers in", "for portals and identity brokers", "sign developers in"],
  verify: ["Verify keys", "for gateways", "verify"],
  "gateways:map": ["Fetch maps of gateways", "for gateways with a map of keys", "fetch maps"],
  secrets: ["Read sealed secrets in answers", "for portals", "read secrets"],
  audit: ["See the audit log", "", "see the audit log"],
  metrics: ["See metrics", "for Prometheus", "see metrics"],
  config: ["Read and compare what files declare", "for CI", "compare configuration"],
  "admin:read": ["See people and settings", "for auditors", "see people and settings"],
  admin: ["Administer people and access tokens", "", "administer"],
  operator: [
    "Organisations and mail server",
    "for the administrator of this server",
    "make organisations and set the mail server",
  ],
};

/** All permissions, in their order. */
// as: the table has each of them.
export const permissions = Object.keys(words) as Permission[];

/** A permission's name. */
export function permissionName(permission: Permission): string {
  return words[permission][0];
}

/** A permission's use, if it is not plain. */
export function permissionHint(permission: Permission): string {
  return words[permission][1];
}

/** Without what another one includes. */
function essential(held: readonly Permission[]): Permission[] {
  return sorted(held).filter((one) => one !== "revoke" || !held.includes("approve"));
}

/** In the order of the list of all. */
export function sorted(held: readonly Permission[]): Permission[] {
  return permissions.filter((one) => held.includes(one));
}

/** All in a few words, for one line. */
export function summaryOf(held: readonly Permission[]): string {
  if (held.includes("operator")) return "Server administrator";
  if (held.includes("admin")) return "Administrator";
  const text = listed(essential(held).map((one) => words[one][2])) || "nothing yet";
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
