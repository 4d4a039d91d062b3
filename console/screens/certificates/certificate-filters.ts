import type { JobFilter } from "../../api/jobs.ts";
import { saidOf } from "../../parts/filters.ts";
import { DAY_MS } from "./certificate.ts";

/** Everything that the address says of the list. */
export const filterNames = ["q", "key", "ca", "status", "ends", "owner", "tag", "sort"] as const;
/** Their values; "": not narrowed. */
export type Filters = Readonly<Record<typeof filterNames[number], string>>;

/** By the private key: the tabs. */
export const tabs = [
  { value: "all", text: "All" },
  { value: "with", text: "With private key" },
  { value: "without", text: "Without" },
] as const;
/** One of them. */
export type Tab = typeof tabs[number]["value"];

/** The tab that is shown. */
export const tabOf = ({ key }: Filters): Tab =>
  tabs.find(({ value }) => value === key)?.value ?? "all";

/** Authorities or others. */
export const authorities = [
  { value: "", text: "CAs and others" },
  { value: "only", text: "Only CAs" },
  { value: "no", text: "No CAs" },
];

/** How it stands now. */
export const statuses = [
  { value: "", text: "Any status" },
  { value: "valid", text: "Valid" },
  { value: "expiring", text: "Expiring" },
  { value: "expired", text: "Expired" },
  { value: "not_yet_valid", text: "Not yet valid" },
  { value: "invalid", text: "Never valid" },
];

const sorts: Record<string, { text: string; sort: string; direction: string }> = {
  "": { text: "Expires first", sort: "not_after", direction: "asc" },
  last: { text: "Expires last", sort: "not_after", direction: "desc" },
  name: { text: "By name", sort: "subject_cn", direction: "asc" },
  "name-last": { text: "By name, backwards", sort: "subject_cn", direction: "desc" },
  newest: { text: "Newest first", sort: "date_added", direction: "desc" },
  oldest: { text: "Oldest first", sort: "date_added", direction: "asc" },
};

/** The orders. */
export const orders = Object.entries(sorts).map(([value, { text }]) => ({ value, text }));

/** True when something narrows the list besides the tab. */
export const isNarrowed = ({ q, ca, status, ends, owner, tag }: Filters): boolean =>
  `${q}${ca}${status}${ends}${owner}${tag}` !== "";

/** Everything that narrows, taken away. */
export const cleared = { q: "", ca: "", status: "", ends: "", owner: "", tag: "", key: "" };

/** The filters by kind alone: the counts go by it too. */
export function kindQuery({ key, ca }: Filters): Record<string, string> {
  return {
    ...key === "with" ? { has_private: "true" } : key === "without" ? { has_private: "false" } : {},
    ...ca === "only" ? { is_ca: "true" } : ca === "no" ? { is_ca: "false" } : {},
  };
}

/** The query of a page of the list. */
export function queryOf(filters: Filters): Record<string, string | undefined> {
  const { status, ends } = filters;
  const { sort, direction } = sorts[filters.sort] ?? sorts[""] ?? {};
  return {
    ...kindQuery(filters),
    ...endQuery(ends),
    ...saidOf(filters, "q", "owner", "tag"),
    sort,
    direction,
    // The address may say anything.
    status: statuses.find(({ value }) => value === status)?.value || undefined,
  };
}

/** The filters as a job takes them. */
export function jobFilterOf(filters: Filters): JobFilter {
  const { sort: _, direction: __, ...narrowed } = queryOf(filters);
  return narrowed;
}

/** When it ends: a band, or a month such as `2026-12`. */
function endQuery(ends: string): Record<string, string> {
  const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
  switch (ends) {
    case "over":
      return { expires_before: inDays(0) };
    case "7":
      return { expires_within: "7" };
    case "30":
      return { expires_after: inDays(7), expires_before: inDays(30) };
    case "90":
      return { expires_after: inDays(30), expires_before: inDays(90) };
    case "later":
      return { expires_after: inDays(90) };
  }
  const [year, month] = /^(\d{4})-(\d\d)$/.exec(ends)?.slice(1).map(Number) ?? [];
  if (year === undefined || month === undefined) return {};
  return {
    expires_after: new Date(Date.UTC(year, month - 1)).toISOString(),
    expires_before: new Date(Date.UTC(year, month)).toISOString(),
  };
}
