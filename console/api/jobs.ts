import type { z } from "zod";
import type { job, jobInput } from "../../src/features/jobs/jobs.contract.ts";
import { Client } from "../../src/client/client.ts";
import { signal } from "../signal.ts";
import { api } from "./client.ts";
import { COUNTS } from "./counts.ts";
import { getJob, getJobResult, listJobs, takeJobLinks } from "./job-endpoints.ts";
import { keep, kept } from "./kept.ts";
import { queries, useCall, useQuery } from "./queries.ts";

/** Many decisions at once, and how far they are. */
export type Job = z.output<typeof job>;

export type JobKind = Job["kind"];

export type JobInput = z.input<typeof jobInput>;

export type JobFilter = NonNullable<Job["filter"]>;

const EVERY_MS = 1000;
const SEEN = "keydesk-job-seen";

/** Whether a job goes on. */
export function isUnderWay({ state }: Job): boolean {
  return ["preparing", "running", "stopping"].includes(state);
}

/** Key requests that had their turn. */
export function hadTurn({ done, left_alone, failed }: Job): number {
  return done + left_alone + failed;
}

/** The job of this person that goes on, or whose end they have not seen yet: the newest one. */
export function useOwnJob(): Job | undefined {
  const { data } = useCall(["jobs", "own"], listJobs, { query: { mine: "true", limit: 1 } });
  const newest = data?.data[0];
  const job = useJob(newest?.id, newest !== undefined && isUnderWay(newest)) ?? newest;
  return job && (isUnderWay(job) || seen.value !== job.id) ? job : undefined;
}

/** A job, read each second while it goes on. */
export function useJob(id: string | undefined, isOn = true): Job | undefined {
  const known = queries.peek<Job>(["jobs", id]).data;
  const { data } = useQuery<Job>({
    queryKey: ["jobs", id],
    queryFn: async () => {
      const job = await api.call(getJob, { params: { id: id ?? "" } });
      void queries.invalidateQueries({ queryKey: COUNTS });
      return job;
    },
    enabled: id !== undefined && isOn,
    ...known && !isUnderWay(known) ? {} : { refetchInterval: EVERY_MS },
  });
  return data;
}

const seen = signal(kept(SEEN) ?? "");

/** The user has seen the end of a job. */
export function noteSeen(id: string): void {
  seen.value = id;
  keep(SEEN, id);
}

/** After a change: what shows jobs is read again. */
export function forgetJobs(): void {
  void queries.invalidateQueries({ queryKey: ["jobs"] });
}

export function resultPath(id: string): string {
  return getJobResult.path.replace("{id}", encodeURIComponent(id));
}

/** Takes the links of a job, which the server gives once, as the text of a file. */
export async function takeLinks(id: string): Promise<string> {
  const response = await api.send(takeJobLinks, { params: { id } });
  if (response.ok) return await response.text();
  // A failure is shown like any other.
  const reader = new Client({ baseUrl: location.origin, fetch: () => Promise.resolve(response) });
  return await reader.call(takeJobLinks, { params: { id } });
}
