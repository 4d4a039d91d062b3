import type { z } from "zod";
import type { listQuery } from "../../../src/features/key-requests/v1.contract.ts";
import { isMineFirst } from "../../api/turn.ts";
import { saidOf } from "../../parts/filters.ts";
import { limitOf } from "../../parts/use-list.ts";
import type { RequestRow, RequestState } from "./request.ts";

/**
 * The filters of the list, as they are in the address. Without any it is pending and newest first.
 */
export const filterNames = [
  "state",
  "q",
  "turn",
  "plan",
  "api",
  "assignee",
  "age",
  "sort",
] as const;

/** Their values. */
export type Filters = Readonly<Record<typeof filterNames[number], string>>;

/** The tabs, in the order of the keys 1 to 4. */
export const tabs = [
  { value: "pending", text: "Pending" },
  { value: "issued", text: "Approved" },
  { value: "declined", text: "Declined" },
  { value: "all", text: "All" },
] as const;

/** One of them. */
export type Tab = typeof tabs[number]["value"];

/** The tab of the address. */
export function tabOf({ state }: Filters): Tab {
  return tabs.find(({ value }) => value === state)?.value ?? "pending";
}

/** Ages to choose from: days, and whether younger or older ones are wanted. */
export const ages: readonly { value: string; text: string; days?: number; older?: boolean }[] = [
  { value: "", text: "Any age" },
  { value: "1d", text: "Asked in 24 hours", days: 1 },
  { value: "7d", text: "Asked in 7 days", days: 7 },
  { value: "30d", text: "Asked in 30 days", days: 30 },
  { value: "over-3d", text: "Older than 3 days", days: 3, older: true },
  { value: "over-14d", text: "Older than 14 days", days: 14, older: true },
];

/** The assignees to choose from. */
export const assignees = [
  { value: "", text: "Any assignee" },
  { value: "me", text: "Assigned to me" },
  { value: "nobody", text: "Assigned to no one" },
];

type Query = { [Name in keyof z.input<typeof listQuery>]?: string | number | undefined };

/** The query of one page. */
export function queryOf(filters: Filters, cursor: string | undefined): Query {
  return { ...exportQueryOf(filters), limit: limitOf(cursor), cursor };
}

/** The query of all pages at once. */
export function exportQueryOf(filters: Filters): Query {
  const tab = tabOf(filters);
  return {
    state: tab === "all" ? undefined : tab,
    ...jobFilterOf(filters),
    // Without an order the server gives what is one's own oldest first.
    ...turnOf(filters) === "mine" ? { waits_for: undefined, mine: "true", sort: "newest" } : {},
    ...sorts[orderOf(filters)],
  };
}

/** The filters besides the state, as a job takes them. */
export function jobFilterOf(filters: Filters) {
  const waits_for = turnOf(filters) || undefined;
  return { ...saidOf(filters, "q", "plan", "api", "assignee"), waits_for, ...agesOf(filters) };
}

const sorts: Readonly<Record<string, Query>> = {
  oldest: { sort: "oldest" },
  decided: { sort: "decided_at", direction: "desc" },
  "decided-first": { sort: "decided_at" },
};

/**
 * The orders that go with these filters: of what was decided also by when, where nothing else
 * narrows the list.
 */
export function ordersOf(filters: Filters): { value: string; text: string }[] {
  const tab = tabOf(filters);
  const byDecision = (tab === "issued" || tab === "declined") && !isNarrowed(filters);
  return [
    { value: "", text: "Newest first" },
    { value: "oldest", text: "Oldest first" },
    ...byDecision
      ? [
        { value: "decided", text: "Decided last" },
        { value: "decided-first", text: "Decided first" },
      ]
      : [],
  ];
}

/** The order of the address, where it goes with the filters. */
export function orderOf(filters: Filters): string {
  return ordersOf(filters).find(({ value }) => value === filters.sort)?.value ?? "";
}

const DAY_MS = 86_400_000;

function agesOf({ age }: Filters): { created_before?: string; created_after?: string } {
  const chosen = ages.find(({ value }) => value === age);
  if (!chosen?.days) return {};
  const at = new Date(Date.now() - chosen.days * DAY_MS).toISOString();
  return chosen.older ? { created_before: at } : { created_after: at };
}

/** Whether a request in this state belongs to the tab. */
export function belongs(tab: Tab, state: RequestState): boolean {
  return tab === "all" || tab === state;
}

const turns = ["mine", "me", "nobody"];

/** The address's filters, with the turn that is meant if it has none. */
export function withTurn(filters: Filters): Filters {
  return filters.turn === "" && isMineFirst() ? { ...filters, turn: "me" } : filters;
}

/**
 * The turn: "me", the person who looks; "mine", that or assigned to them; "nobody", no one; "":
 * any.
 */
export function turnOf(filters: Filters): string {
  const { turn } = filters;
  return tabOf(filters) === "pending" && turns.includes(turn) ? turn : "";
}

/** Whether anything but the tab narrows the list. */
export function isNarrowed(filters: Filters): boolean {
  const { q, plan, api, assignee, age } = filters;
  return q + plan + api + assignee + age + turnOf(filters) !== "";
}

/** Whether a job can select by these filters: of turns by the caller's own alone. */
export function isOfJobs(filters: Filters): boolean {
  return ["", "me"].includes(turnOf(filters));
}

/** Whether nothing narrows the list but that it waits for whoever looks. */
export function isTurnAlone(filters: Filters): boolean {
  return turnOf(filters) === "me" && !isNarrowed({ ...filters, turn: "" });
}

/** The changes that clear every filter. */
export const cleared = () => ({
  q: "",
  turn: isMineFirst() ? "all" : "",
  plan: "",
  api: "",
  assignee: "",
  age: "",
});

/** The key of a row. */
export function keyOf(row: RequestRow): string {
  return row.id;
}
