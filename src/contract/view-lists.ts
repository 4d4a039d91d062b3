import type { Permission } from "./permissions.ts";

/** The console's lists of which there are views, each with the permission that reads it. */
export const lists = {
  "key-requests": "portal:read",
  keys: "portal:read",
  certificates: "certs:read",
  developers: "portal:read",
  plans: "portal:read",
  deliveries: "admin",
  refusals: "portal:read",
} as const satisfies Readonly<Record<string, Permission>>;

/** One of them. */
export type List = keyof typeof lists;

/** Their names. */
// as: the keys of exactly this object.
export const listNames = Object.keys(lists) as [List, ...List[]];
