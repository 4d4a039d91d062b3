import type { Permission } from "./permissions.ts";

/** The console's lists of which there are views, each with the permission that reads it. */
export const lists = {
  "key-requests": "portal:read",
  keys: "portal:read",
  certificates: "certs:read",
  developers: "portal:read",
  plans: "portal:read",
  deliveries: "admin",
  "denied-calls": "portal:read",
} as const satisfies Readonly<Record<string, Permission>>;

/** One of them. */
export type List = keyof typeof lists;

/** Their names. */
// as: the keys of exactly this object.
export const listNames = Object.keys(lists) as [List, ...List[]];

/** What rows have in the place of names that changed: the list, and a filter of it. */
const STORED = { list: "refusals", gateway: "door" } as const;

/** The name of a list as rows keep it. */
export function storedList(list: List): string {
  return list === "denied-calls" ? STORED.list : list;
}

/** The list that a row names; undefined: this code does not know it. */
export function listOfRow(stored: string): List | undefined {
  return listNames.find((one) => storedList(one) === stored);
}

/** Filters of a list by their present names. */
export function filtersOfRow(query: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).map((
      [name, value],
    ) => [name === STORED.gateway ? "gateway" : name, value]),
  );
}
