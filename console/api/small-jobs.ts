import type { z } from "zod";
import type { jobRow, takenOneTimeLinks } from "../../src/features/jobs/jobs.contract.ts";
import { api } from "./client.ts";
import { getJob, listJobRows, startJob, takeJobOneTimeLinks } from "./job-endpoints.ts";
import { forgetJobs, isUnderWay, type JobInput, noteSeen } from "./jobs.ts";

/** The result of a key request, and the one-time link of its approval if there is one. */
export interface Decided extends Pick<z.output<typeof jobRow>, "id" | "outcome" | "error"> {
  one_time_link?: z.output<typeof takenOneTimeLinks>["data"][number]["one_time_link"] | undefined;
}

const EVERY_MS = 1000;
/** Seconds that one waits for a job that its call did not end; then it goes on by itself. */
const MOST_WAITED = 60;

/**
 * Decides up to 100 key requests as they were seen, in a small job, and gives what became of each
 * in their order. The links are taken with it, this once.
 */
export async function decideSeen(
  requests: readonly { id: string; revision: string }[],
  body: Pick<JobInput, "kind" | "reason" | "message" | "conditions" | "expires_at">,
  headers: Record<string, string>,
): Promise<Decided[]> {
  const seen = requests.map(({ id, revision }) => ({ id, revision }));
  let job = await api.call(startJob, { headers, body: { ...body, seen } });
  const params = { id: job.id };
  for (let waited = 0; isUnderWay(job) && waited < MOST_WAITED; waited++) {
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    job = await api.call(getJob, { params });
  }
  const { data: rows } = await api.call(listJobRows, { params, query: { limit: 100 } });
  const links = job.links_wait ? (await api.call(takeJobOneTimeLinks, { params })).data : [];
  // So few decisions show their results at once: no notice is needed.
  if (!isUnderWay(job)) noteSeen(job.id);
  forgetJobs();
  const oneTimeLinks = new Map(links.map(({ id, one_time_link }) => [id, one_time_link]));
  return rows.map(({ id, outcome, error }) => ({
    id,
    outcome,
    error,
    one_time_link: oneTimeLinks.get(id),
  }));
}

/** Why one was not decided; undefined: it was. A step counts, and made no key. */
export function whyNot({ outcome, error }: Decided): string | undefined {
  if (outcome === "done") return undefined;
  return error?.detail ?? "Its turn is still to come: the job goes on.";
}
