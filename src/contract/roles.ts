import { type Permission, permissions } from "./permissions.ts";

/** A role that every organisation has. It can't be changed. */
export interface RolePreset {
  readonly id: string;
  readonly name: string;
  /** For whom it is, a sentence. */
  readonly description: string;
  readonly permissions: readonly Permission[];
}

/** Permissions over every organisation, and those that sign others in, are granted one by one. */
const APART: readonly Permission[] = ["operator", "metrics", "act:developer"];

/** The roles that every organisation has, the widest first. */
export const rolePresets: readonly RolePreset[] = [
  {
    id: "administrator",
    name: "Administrator",
    description: "Does everything in this organisation, people and settings among it.",
    permissions: permissions.filter((one) => !APART.includes(one)),
  },
  {
    id: "approver",
    name: "Approver",
    description: "Reads and decides key requests, and revokes keys.",
    permissions: ["portal:read", "approve"],
  },
  {
    id: "auditor",
    name: "Auditor",
    description: "Reads everything, the audit log among it, and changes nothing.",
    permissions: ["portal:read", "certs:read", "audit", "admin:read"],
  },
  {
    id: "support",
    name: "Support",
    description: "Helps developers: edits them and their requests, and revokes keys.",
    permissions: ["portal:write", "revoke"],
  },
  {
    id: "certificates",
    name: "Certificates",
    description: "Keeps the certificates.",
    permissions: ["certs:write"],
  },
  {
    id: "portal-back-end",
    name: "Portal back end",
    description: "A portal's program: keeps developers, files their requests, and approves.",
    permissions: ["portal:write", "approve", "secrets"],
  },
  {
    id: "gateway",
    name: "Gateway",
    description: "A gateway's program: asks whether keys are valid.",
    permissions: ["verify"],
  },
];

/** The preset of this id; undefined: it is none. */
export function presetOf(id: string): RolePreset | undefined {
  return rolePresets.find((one) => one.id === id);
}

/** Roles of its own that an organisation has at once. */
export const MOST_ROLES = 100;
