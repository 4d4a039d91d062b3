import { useEffect, useRef } from "preact/hooks";
import { Link } from "wouter-preact";
import { isUnderWay, type Job, useOwnJob } from "../api/jobs.ts";
import { say } from "../said.ts";
import { announce } from "./announcer.tsx";
import { jobProgress, jobTitle, percentOf } from "./job-words.ts";

/**
 * One's own job in the side bar, until its end was looked at. Each tenth of it is said, and its
 * end.
 */
export default function JobSide() {
  const job = useOwnJob();
  useNews(job);
  if (!job) return null;
  return (
    <Link class="job-side" href={`${PLACES[job.of]}?job=${encodeURIComponent(job.id)}`}>
      <b>{jobTitle(job)}</b>
      <span>{isUnderWay(job) ? jobProgress(job) : "See what became of each"}</span>
      {isUnderWay(job) && <JobBar job={job} />}
    </Link>
  );
}

/** On which screen a job is looked at. */
const PLACES: Readonly<Record<Job["of"], string>> = {
  key_requests: "/requests",
  keys: "/keys",
  certificates: "/certificates",
  developers: "/developers",
};

/** How far a job is, as a bar. */
export function JobBar({ job }: { job: Job }) {
  return (
    <progress
      class="job-bar"
      aria-label={jobTitle(job)}
      max={100}
      {...job.total === null ? {} : { value: percentOf(job) }}
    />
  );
}

function useNews(job: Job | undefined): void {
  const last = useRef<{ id: string; tenth: number } | undefined>(undefined);
  useEffect(() => {
    if (!job) return;
    const tenth = isUnderWay(job) ? Math.floor(percentOf(job) / 10) : 11;
    const before = last.current;
    last.current = { id: job.id, tenth };
    if (before?.id !== job.id || before.tenth === tenth) return;
    announce(tenth === 11 ? `${jobTitle(job)}.` : say`${jobTitle(job)}: ${tenth * 10} %`);
  }, [job]);
}
