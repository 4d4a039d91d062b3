import type { Filters } from "../../src/contract/filters.ts";
import { keyFilters } from "../../src/contract/key-filters.ts";
import type { Job, JobFilter } from "../api/jobs.ts";
import { usePlans } from "../api/plans.ts";
import { exactTime } from "./time.tsx";
import { listed, say } from "../said.ts";

const STATUSES: Readonly<Record<NonNullable<JobFilter["status"]>, string>> = {
  valid: "valid",
  expiring: "expiring",
  expired: "expired",
  not_yet_valid: "not yet valid",
  invalid: "never valid",
};

/** What was selected, in words. */
export function SelectedWords({ of, filter }: { of: Job["of"]; filter: JobFilter }) {
  const plans = usePlans();
  const { q, plan, api, developer, assignee, late, waits_for, asked_after } = filter;
  const { status, is_ca, has_private, expires_before, expires_after, expires_within } = filter;
  const { owner } = filter;
  const { state, tag } = filter;
  const parts = of === "keys" ? wordsOf(keyFilters, filter, plans) : [
    plan && say`for ${plans.get(plan)?.name || plan}`,
    api && say`for the API ${api}`,
    developer && say`of ${developer}`,
    state,
    tag && say`tagged ${tag}`,
    late && "late",
    waits_for && "waiting for whoever started it",
    assignee && (assignee === "nobody" ? "assigned to nobody" : "assigned to one person"),
    status && STATUSES[status],
    is_ca && (is_ca === "true" ? "CAs" : "no CAs"),
    has_private && (has_private === "true" ? "with private key" : "without private key"),
    expires_before && `ending before ${exactTime(expires_before)}`,
    expires_after && `ending after ${exactTime(expires_after)}`,
    expires_within && say`ending within ${expires_within} days`,
    owner && say`of the owner ${owner}`,
    q && say`found by “${q}”`,
    asked_after && `asked after ${exactTime(asked_after)}`,
  ].filter(Boolean);
  return (
    <>
      {parts.length === 0 ? all[of] : listed(parts)}
    </>
  );
}

/** What filters say of a selection, by their declaration. */
function wordsOf(
  filters: Filters,
  filter: Readonly<Record<string, unknown>>,
  plans: ReadonlyMap<string, { name: string }>,
): string[] {
  return Object.entries(filters).flatMap(([name, { takes, words }]) => {
    const value = filter[name];
    if (typeof value !== "string") return [];
    if (typeof words !== "string") return [value === "true" ? words.true : words.false];
    const shown = takes === "plan"
      ? plans.get(value)?.name || value
      : takes === "time"
      ? exactTime(value)
      : value;
    const [before = "", after = ""] = words.split("{}");
    return [say`${before}${shown}${after}`];
  });
}

const all: Readonly<Record<Job["of"], string>> = {
  key_requests: "requests, all of them",
  keys: "keys, all of them",
  certificates: "certificates, all of them",
  developers: "developers, all of them",
};
