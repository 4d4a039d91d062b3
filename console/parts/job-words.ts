import { hadTurn, isUnderWay, type Job, type JobKind } from "../api/jobs.ts";
import { grouped } from "../api/numbers.ts";
import { say } from "../said.ts";

const DOING: Readonly<Record<JobKind, string>> = {
  approve: "Approving requests",
  decline: "Declining requests",
  reopen: "Reopening requests",
  assign: "Assigning requests",
  suspend_keys: "Suspending keys",
  resume_keys: "Resuming keys",
  revoke_keys: "Revoking keys",
  rotate_keys: "Rotating keys",
  set_key_plans: "Changing plans of keys",
  add_key_plans: "Adding plans to keys",
  set_key_end: "Setting when keys end",
  clear_key_end: "Taking ends of keys away",
  follow_plan_life: "Setting ends of keys as their plans say",
  tag_keys: "Tagging keys",
  untag_keys: "Taking tags of keys away",
  set_certificate_owner: "Setting who cares for certificates",
  clear_certificate_owner: "Taking owners of certificates away",
  mute_certificates: "Muting certificates",
  unmute_certificates: "Unmuting certificates",
  deactivate_developers: "Deactivating developers",
  reactivate_developers: "Reactivating developers",
  tag_developers: "Tagging developers",
  untag_developers: "Taking tags of developers away",
  undo: "Taking a job back",
};

const DONE: Readonly<Record<JobKind, string>> = {
  approve: "approved",
  decline: "declined",
  reopen: "reopened",
  assign: "assigned",
  suspend_keys: "suspended",
  resume_keys: "resumed",
  revoke_keys: "revoked",
  rotate_keys: "rotated",
  set_key_plans: "changed",
  add_key_plans: "changed",
  set_key_end: "changed",
  clear_key_end: "changed",
  follow_plan_life: "changed",
  tag_keys: "tagged",
  untag_keys: "untagged",
  set_certificate_owner: "changed",
  clear_certificate_owner: "changed",
  mute_certificates: "muted",
  unmute_certificates: "unmuted",
  deactivate_developers: "deactivated",
  reactivate_developers: "reactivated",
  tag_developers: "tagged",
  untag_developers: "untagged",
  undo: "taken back",
};

/** What a decision is called. */
export function doneWord({ kind }: Job): string {
  return DONE[kind];
}

/** What a job does, or that it has ended. */
export function jobTitle(job: Job): string {
  if (isUnderWay(job)) return DOING[job.kind];
  return job.state === "done" ? say`${grouped(job.done)} ${DONE[job.kind]}` : ENDS[job.state] ?? "";
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
  links_not_mailed: "No target mails the links any more.",
};
