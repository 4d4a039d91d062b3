import { presentAction } from "./former-names.ts";
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

/** The name of a list as rows keep it. */
export function storedList(list: List): string {
  return list === "denied-calls" ? "refusals" : list;
}

/** The list that a row names; undefined: this code does not know it. */
export function listOfRow(stored: string): List | undefined {
  return listNames.find((one) => storedList(one) === stored);
}

/** Filters that rows of before 0.9.0 have by another name. */
const FORMER_FILTERS: Partial<Record<List, Readonly<Record<string, string>>>> = {
  "denied-calls": { door: "gateway" },
  deliveries: { target: "channel" },
};

/** Filters of a list by their present names; topics of deliveries and states of leaks by theirs. */
export function filtersOfRow(
  list: List,
  query: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [
      FORMER_FILTERS[list]?.[name] ?? name,
      presentValue(list, name, value),
    ]),
  );
}

function presentValue(list: List, name: string, value: string): string {
  if (list === "deliveries" && name === "topic") return presentAction(value);
  return list === "keys" && name === "state" && value === "not_so" ? "false_positive" : value;
}
