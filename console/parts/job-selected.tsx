import type { Filters } from "../../src/contract/filters.ts";
import { jobLists } from "../../src/contract/list-filters.ts";
import type { Job, JobFilter } from "../api/jobs.ts";
import { type PlanFacts, titleOf, usePlans } from "../api/plans.ts";
import { exactTime } from "./time.tsx";
import { listed, say } from "../said.ts";

/** The selection, in words. */
export function SelectedWords({ of, filter }: { of: Job["of"]; filter: JobFilter }) {
  const plans = usePlans();
  const parts = wordsOf(jobLists[of], filter, plans);
  return <>{parts.length === 0 ? all[of] : listed(parts)}</>;
}

/** The words of a selection's filters, by their declaration. */
function wordsOf(
  filters: Filters,
  filter: Readonly<Record<string, unknown>>,
  plans: ReadonlyMap<string, PlanFacts>,
): string[] {
  return Object.entries(filters).flatMap(([name, { takes, words }]) => {
    const value = filter[name];
    if (typeof value !== "string") return [];
    const said = typeof words === "object" ? words[value] ?? words.else : words;
    if (!said) return [];
    const shown = takes === "plan"
      ? titleOf("", [value], plans)
      : takes === "time"
      ? exactTime(value)
      : value;
    const [before = "", after] = said.split("{}");
    return [after === undefined ? before : say`${before}${shown}${after}`];
  });
}

const all: Readonly<Record<Job["of"], string>> = {
  key_requests: "requests, all of them",
  keys: "keys, all of them",
  certificates: "certificates, all of them",
  developers: "developers, all of them",
};
