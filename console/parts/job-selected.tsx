import type { Job, JobFilter } from "../api/jobs.ts";
import { usePlans } from "../api/plans.ts";
import { exactTime } from "./time.tsx";
import { listed, say } from "../said.ts";

/** What was selected, in words. */
export function SelectedWords({ of, filter }: { of: Job["of"]; filter: JobFilter }) {
  const plans = usePlans();
  const { q, plan, api, developer, assignee, late, waits_for, asked_after } = filter;
  const { state, environment, tag, leaked, unused_since, schedule } = filter;
  const parts = [
    plan && say`for ${plans.get(plan)?.name || plan}`,
    api && say`for the API ${api}`,
    developer && say`of ${developer}`,
    state,
    environment && say`of the environment ${environment}`,
    tag && say`tagged ${tag}`,
    unused_since && `unused since ${exactTime(unused_since)}`,
    schedule && say`unused, and ${schedule}`,
    leaked && (leaked === "true" ? "leaked" : "not leaked"),
    late && "late",
    waits_for && "waiting for whoever started it",
    assignee && (assignee === "nobody" ? "assigned to nobody" : "assigned to one person"),
    q && say`found by “${q}”`,
    asked_after && `asked after ${exactTime(asked_after)}`,
  ].filter(Boolean);
  return (
    <>
      {parts.length === 0 ? all[of] : listed(parts)}
    </>
  );
}

const all: Readonly<Record<Job["of"], string>> = {
  key_requests: "requests, all of them",
  keys: "keys, all of them",
  certificates: "certificates, all of them",
  developers: "developers, all of them",
};
