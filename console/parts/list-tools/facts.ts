import { say } from "../../said.ts";
/** The address of each list, its columns, its orders, and the values of its filters. */

/** An order of a list as the address says it; "" is the usual one. */
export interface Order {
  readonly word: string;
  readonly text: string;
  /** The column whose head says it, and which way. */
  readonly column?: string;
  readonly way?: "ascending" | "descending";
}

interface Facts {
  readonly path: string;
  readonly title: string;
  /** The filters of its address. */
  readonly names: readonly string[];
  /** Values that a filter may have, where they are few. */
  readonly values?: Readonly<Record<string, readonly string[]>>;
  /** Columns that one may leave out: their word, and the titles that they have. */
  readonly columns: Readonly<Record<string, readonly string[]>>;
  readonly orders: readonly Order[];
  /** Whether the screen has a choice of orders of its own. */
  readonly hasOrder?: true;
  /** Whether an order goes with these filters; absent: always. */
  readonly goes?: (order: Order, query: Readonly<Record<string, string>>) => boolean;
}

/** A list that has views. */
export type ListName = "key-requests" | "keys" | "certificates" | "developers" | "denied-calls";

const up = { way: "ascending" } as const;
const down = { way: "descending" } as const;

/** All of them. */
export const facts: Readonly<Record<ListName, Facts>> = {
  "key-requests": {
    path: "/requests",
    title: "Requests",
    names: ["state", "q", "plan", "api", "assignee", "age", "sort"],
    values: {
      state: ["pending", "issued", "declined", "all"],
      assignee: ["me", "nobody"],
      age: ["1d", "7d", "30d", "over-3d", "over-14d"],
    },
    columns: {
      plan: ["API and plan"],
      why: ["Why"],
      assignee: ["Assigned to"],
      decision: ["Status", "Approved by", "Declined by"],
      asked: ["Asked"],
    },
    orders: [
      { word: "", text: "Newest first", column: "asked", ...down },
      { word: "oldest", text: "Oldest first", column: "asked", ...up },
      { word: "decided", text: "Decided last", column: "decision", ...down },
      { word: "decided-first", text: "Decided first", column: "decision", ...up },
    ],
    hasOrder: true,
    goes: ({ column }, { state = "", q, plan, api, assignee, age }) =>
      column !== "decision" ||
      ["issued", "declined"].includes(state) && !(q || plan || api || assignee || age),
  },
  keys: {
    path: "/keys",
    title: "Keys",
    names: ["state", "plan", "developer", "environment", "tag", "q", "sort"],
    values: { state: ["active", "suspended", "expired", "revoked"] },
    columns: {
      developer: ["Developer"],
      plan: ["Plan"],
      state: ["State"],
      created: ["Created"],
      ends: ["Expires"],
      calls: ["Calls"],
      used: ["Last used"],
    },
    orders: [
      { word: "", text: "Newest first", column: "created", ...down },
      { word: "oldest", text: "Oldest first", column: "created", ...up },
      { word: "ends", text: "Expires first", column: "ends", ...up },
      { word: "ends-last", text: "Expires last", column: "ends", ...down },
    ],
    goes: (_, { state, plan, developer, environment, tag, q }) =>
      state !== "expired" && !(plan || developer || environment || tag || q),
  },
  certificates: {
    path: "/certificates",
    title: "Certificates",
    names: ["q", "key", "ca", "status", "ends", "owner", "tag", "sort"],
    values: {
      key: ["with", "without"],
      ca: ["only", "no"],
      status: ["valid", "expiring", "expired", "not_yet_valid", "invalid"],
    },
    columns: { owner: ["Owner"], kind: ["Tags"], validity: ["Validity"] },
    orders: [
      { word: "", text: "Expires first", column: "validity", ...up },
      { word: "last", text: "Expires last", column: "validity", ...down },
      { word: "name", text: "By name", column: "name", ...up },
      { word: "name-last", text: "By name, backwards", column: "name", ...down },
      { word: "newest", text: "Newest first" },
      { word: "oldest", text: "Oldest first" },
    ],
    hasOrder: true,
  },
  developers: {
    path: "/developers",
    title: "Developers",
    names: ["state", "q", "sort"],
    values: { state: ["active", "inactive"] },
    columns: {
      company: ["Company"],
      keys: ["Keys"],
      requests: ["Requests"],
      state: ["State"],
      seen: ["Last sign-in"],
    },
    orders: [
      { word: "", text: "Newest first" },
      { word: "oldest", text: "Oldest first" },
      { word: "email", text: "By e-mail", column: "developer", ...up },
      { word: "email-last", text: "By e-mail, backwards", column: "developer", ...down },
    ],
    goes: (_, { q }) => !q,
  },
  "denied-calls": {
    path: "/logs",
    title: "Denied calls",
    names: ["reason", "key", "plan", "api", "developer", "gateway", "time", "from", "to"],
    values: { time: ["hour", "day", "week", "month", "between"] },
    columns: { key: ["Key"], mend: ["What fixes it"], when: ["When"] },
    orders: [{ word: "", text: "Newest first" }],
  },
};

/** First columns are always shown; their heads sort too. */
const leads: Readonly<Record<string, string>> = { Name: "name" };

/** The word of the column with this title; undefined: it has none. */
export function columnOf(list: ListName, title: string): string | undefined {
  const word = Object.entries(facts[list].columns)
    .find(([, titles]) => titles.includes(title))?.[0];
  if (word !== undefined) return word;
  return list === "developers" && title === "Developer" ? "developer" : leads[title];
}

/** The known part of a view's query, and the names of the unknown rest. */
export function knownOf(
  list: ListName,
  query: Readonly<Record<string, string>>,
): { known: Record<string, string>; unknown: string[] } {
  const { names, values = {}, orders } = facts[list];
  const isKnown = ([name, value]: [string, string]) =>
    names.includes(name) && (values[name]?.includes(value) ?? true) &&
    (name !== "sort" || orders.some(({ word }) => word === value));
  const all = Object.entries(query);
  return {
    known: Object.fromEntries(all.filter(isKnown)),
    unknown: all.filter((one) => !isKnown(one)).map(([name, value]) => say`${name} “${value}”`),
  };
}
