import { jobKinds } from "../../src/contract/job-kinds.ts";
import { hadTurn, isUnderWay, type Job } from "../api/jobs.ts";
import { grouped } from "../api/numbers.ts";
import { say } from "../said.ts";

/** The word for a finished decision. */
export function doneWord({ kind }: Pick<Job, "kind">): string {
  return kind === "undo" ? "taken back" : jobKinds[kind].done;
}

/** The action of a job, or that it has ended. */
export function jobTitle(job: Job): string {
  const { kind, state, done } = job;
  if (isUnderWay(job)) return kind === "undo" ? "Taking a job back" : jobKinds[kind].doing;
  return state === "done" ? say`${grouped(done)} ${doneWord(job)}` : ENDS[state] ?? "";
}

const ENDS: Readonly<Partial<Record<Job["state"], string>>> = {
  stopped: "Job stopped",
  broken_off: "Job broken off",
};

/** How far it is: "742 of 1,204". */
export function jobProgress(job: Job): string {
  if (job.total === null) return "Gathering what matches";
  return `${grouped(hadTurn(job))} of ${grouped(job.total)}`;
}

/** How far it is, from 0 to 100. */
export function percentOf(job: Job): number {
  if (!job.total) return job.total === 0 ? 100 : 0;
  return Math.floor(hadTurn(job) / job.total * 100);
}

/** Why it was broken off. */
export const whys: Readonly<Record<NonNullable<Job["why"]>, string>> = {
  permission_ended:
    "The access token that started it may not do so any more, or has another scope.",
  too_many: "More matched than you confirmed. Nothing was done.",
  links_not_mailed: "No channel mails the links any more.",
};
