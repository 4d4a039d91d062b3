import type { Actor } from "../../changes/audit.ts";
import { requireNoOlderNode } from "../../changes/older-nodes.store.ts";
import { type IdempotentCall, once } from "../../changes/idempotent-answers.ts";
import { personalWords } from "../../changes/personal.ts";
import { recordAlone } from "../../changes/record-change.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { besides } from "../people/temporary-access.transactions.ts";
import { findSignaturesRule } from "../people/sign-in-rules.store.ts";
import type { GrantedTerms } from "../key-requests/granted-terms.ts";
import { areLinksMailed } from "../notifications/recipients.transactions.ts";
import { endToCome } from "../keys/key.ts";
import {
  type BreakOff,
  isSmall,
  type JobFilter,
  type JobRow,
  type JobTerms,
  KEPT_MS,
  namedIn,
  ofWhat,
  type Selection,
  selectionOf,
  selectionText,
} from "./job.ts";
import type { JobOf } from "../../contract/job-kinds.ts";
import { takeLinks } from "./job-links.store.ts";
import { addRow, countOutcomes, nextRows } from "./job-rows.store.ts";
import { countSmall, insertJob, jobLease, lockJob, updateJob } from "./jobs.store.ts";

/** The input of a new job. */
interface NewJob {
  id: string;
  kind: JobRow["kind"];
  deliver: JobRow["deliver"];
  reason: string | null;
  /** To whom it assigns; null: to no one, or it does something else. */
  assignee: string | null;
  /** When the keys of its approvals end; null: when their plans say. */
  key_expires_at: string | null;
  /** Of its approvals: said to each developer, and what they are granted; null: what was asked. */
  message: string | null;
  conditions: GrantedTerms | null;
  /** Of kinds over keys or certificates; null: there are none. */
  terms: JobTerms | null;
  selection: Selection;
  at_most: number;
}

/**
 * Starts a job. Throws `job_under_way` where this person has one, or many small ones,
 * `links_not_mailed` where no one would mail the links, `approvals_closed` for an approval where
 * none goes through, `invalid_input` where its keys would have ended already, and `unavailable`
 * while a node serves that can't assign, goes by no revision, or would grant more than this says.
 */
export const startJob = defineTransaction(
  "jobs.start",
  async (
    tx,
    input: { actor: Actor; job: NewJob; idempotency: IdempotentCall | null },
  ): Promise<JobRow> =>
    await once(tx, input.idempotency, async () => {
      const { actor, job } = input;
      const { org_id, user_id: person, token_id, now } = actor;
      const { id, kind, deliver, reason, assignee, key_expires_at, selection, at_most } = job;
      const { message, conditions, terms } = job;
      const end = endToCome(key_expires_at, now);
      if (conditions !== null) await requireNoOlderNode(tx, now);
      // Each of its approvals would be refused.
      if (kind === "approve" && await findSignaturesRule(tx, { org_id }) === 1) {
        throw new Failure("approvals_closed");
      }
      const filter: Partial<JobFilter> = "filter" in selection ? selection.filter : {};
      const isOfTeam = [filter.assignee, filter.waits_for].some((one) => one !== undefined);
      if (kind === "assign" || isOfTeam) await requireNoOlderNode(tx, now, ASSIGNING);
      const of = ofWhat({ kind, terms: terms && JSON.stringify(terms) });
      if (of !== "key_requests") await requireNoOlderNode(tx, now, OVER_KEYS);
      if (deliver === "mail" && !await areLinksMailed(tx, org_id)) {
        throw new Failure("links_not_mailed");
      }
      if ("seen" in selection) await requireNoOlderNode(tx, now, AS_SEEN);
      const small = isSmall(selection);
      if (small && await countSmall(tx, org_id, person) >= AT_ONCE) {
        throw new Failure("job_under_way");
      }
      const row: JobRow = {
        org_id,
        id,
        kind,
        deliver,
        reason,
        assignee,
        selection: selectionText(selection),
        at_most,
        small: small ? 1 : 0,
        key_expires_at,
        message,
        conditions: conditions && JSON.stringify(conditions),
        terms: terms && JSON.stringify(terms),
        person,
        token_id,
        elevation: actor.call?.temporaryAccess ?? null,
        request_id: actor.call?.request_id ?? "",
        caller_request_id: actor.call?.caller_request_id ?? "",
        started_at: toTimestamp(now),
        state: "preparing",
        why: "",
        stopped_by: "",
        place: "",
        total: 0,
        settled: 0,
        done: 0,
        steps: 0,
        left_alone: 0,
        failed: 0,
        ended_at: null,
        expires_at: null,
      };
      if (!await insertJob(tx, row)) throw new Failure("job_under_way");
      await recordAlone(tx, actor, {
        action: "job.started",
        object_id: id,
        detail: {
          kind,
          deliver,
          ...kind === "assign" ? { assignee } : {},
          ...end ? { expires_at: end } : {},
          ...conditions ? { granted: conditions } : {},
          ...terms,
          ...detailOf(selection, of),
        },
        personal: personalWords({ reason, message }),
      });
      return row;
    }),
);

/** Small jobs that a person has under way, at the most. */
const AT_ONCE = 10;

/** A node of an older release would fail on such a job, or select more than was meant. */
const OVER_KEYS = { unknown: "jobs over keys or certificates", then: "start one" };
const AS_SEEN = { unknown: "jobs over what was seen", then: "start one" };
const ASSIGNING = { unknown: "assigned key requests", then: "start such a job" };

/**
 * The selection as the audit log has it: of what may have been typed, a key by mistake too, the
 * names alone.
 */
function detailOf(selection: Selection, of: JobOf): Record<string, unknown> {
  const name = of === "key_requests" ? "requests" : of;
  const named = "count" in selection ? selection.count : namedIn(selection);
  if (named !== undefined) return { [name]: named };
  if ("job" in selection) return { of_job: selection.job };
  if (!("filter" in selection)) return {};
  const { created_after, created_before, ...typed } = selection.filter;
  const filters = Object.entries(typed).flatMap(([name, text]) => text === undefined ? [] : name);
  return { asked_after: created_after, asked_before: created_before, filters };
}

/** Stops a job: the rows under way end, and no other begins. Throws `not_found` and `job_over`. */
export const stopJob = defineTransaction(
  "jobs.stop",
  async (tx, { actor, id }: { actor: Actor; id: string }): Promise<JobRow> => {
    const job = await lockJob(tx, actor.org_id, id, "update");
    if (!job) throw new Failure("not_found");
    if (job.ended_at !== null) throw new Failure("job_over");
    if (job.state === "stopping") return job;
    await recordAlone(tx, actor, { action: "job.stopped", object_id: id });
    return await updateJob(tx, job, { state: "stopping", stopped_by: actor.user_id });
  },
);

/**
 * Takes the right to work on jobs, or renews it. False: another node has it. `now`: by the store's
 * clock.
 */
export const takeTurn = defineTransaction(
  "jobs.take-turn",
  (tx, { holder, now }: { holder: string; now: number }) => jobLease.take(tx, holder, now),
);

/** Leaves the right to work on jobs to the others. */
export const leaveJobs = defineTransaction(
  "jobs.leave",
  async (tx, { holder }: { holder: string }): Promise<null> => {
    await jobLease.giveBack(tx, holder);
    return null;
  },
);

/**
 * Adds what was found of a job's selection behind `from`; nothing where another node has done so.
 * `next` null: that was all. Ends the job where more was found than it may have, before that is
 * written.
 */
export const addRows = defineTransaction(
  "jobs.add-rows",
  async (
    tx,
    input: {
      org_id: string;
      id: string;
      from: string;
      next: string | null;
      rows: readonly { request_id: string; revision: string; was?: string }[];
      now: number;
    },
  ): Promise<null> => {
    const { org_id, id, from, next, rows, now } = input;
    const job = await lockJob(tx, org_id, id, "update");
    if (job?.state !== "preparing" || job.place !== from) return null;
    if (job.at_most > 0 && job.total + rows.length > job.at_most) {
      const found = await updateJob(tx, job, { total: job.total + rows.length, place: "" });
      await end(tx, found, "broken_off", "too_many", now);
      return null;
    }
    let n = job.total;
    for (const { request_id, revision, was = null } of rows) {
      await addRow(tx, { org_id, job_id: id, n: ++n, request_id, revision, was });
    }
    if (next !== null) {
      await updateJob(tx, job, { total: n, place: next });
      return null;
    }
    const selection = selectionOf(job);
    const count = namedIn(selection);
    const kept = count === undefined ? selection : { count };
    const whole = await updateJob(tx, job, {
      total: n,
      state: "running",
      place: "",
      selection: selectionText(kept),
    });
    if (n === 0) await end(tx, whole, "done", "", now);
    return null;
  },
);

/**
 * Counts the rows that had their turn, and ends the job where all had, where it was stopped, or for
 * a reason. A stop holds the job's row, as rows under way do: what is counted then is all that the
 * job ever decides.
 */
export const settleJob = defineTransaction(
  "jobs.settle",
  async (
    tx,
    input: { org_id: string; id: string; why: BreakOff | null; now: number },
  ): Promise<JobRow["state"] | null> => {
    const { org_id, id, why, now } = input;
    const job = await lockJob(tx, org_id, id, "update");
    if (!job || job.ended_at !== null) return null;
    const [waiting] = await nextRows(tx, { org_id, job_id: id }, job.settled, 1);
    const isEnding = job.state === "stopping" || why !== null;
    // Behind the first that waits a few had their turn at the same time as it had not.
    const last = isEnding ? Math.min(job.settled + NEAR, job.total) : (waiting ?? Infinity) - 1;
    const to = Math.min(last, job.total);
    const counts = await countOutcomes(tx, { org_id, job_id: id }, job.settled, to);
    const settled = await updateJob(tx, job, {
      settled: to,
      done: job.done + counts.done,
      steps: job.steps + counts.steps,
      failed: job.failed + counts.failed,
      left_alone: job.left_alone + counts.left_alone,
    });
    if (job.state === "stopping") return await end(tx, settled, "stopped", "", now);
    if (why !== null) return await end(tx, settled, "broken_off", why, now);
    if (job.state === "running" && to === job.total) {
      return await end(tx, settled, "done", "", now);
    }
    return settled.state;
  },
);

/**
 * Rows behind the last that is counted among which all are that had their turn: some turns of rows.
 */
const NEAR = 400;

async function end(
  tx: Tx,
  job: JobRow,
  state: "done" | "stopped" | "broken_off",
  why: BreakOff | "",
  now: number,
): Promise<JobRow["state"]> {
  const at = toTimestamp(now);
  const expires_at = toTimestamp(now + KEPT_MS);
  const selection = selectionOf(job);
  const count = namedIn(selection);
  const kept = count === undefined ? selection : { count };
  await updateJob(tx, job, {
    state,
    why,
    ended_at: at,
    expires_at,
    selection: selectionText(kept),
  });
  const { total, done, left_alone, failed } = job;
  // Its end is no deed of temporary access, which may be over by now.
  await recordAlone(tx, besides(actorOfJob(job, now)), {
    action: "job.ended",
    object_id: job.id,
    detail: { state, ...why === "" ? {} : { why }, total, done, left_alone, failed },
  });
  return state;
}

/** The starter of a job as its actor: the audit log finds its rows by the call that started it. */
export function actorOfJob(job: JobRow, now: number): Actor {
  const { org_id, person, token_id, request_id, caller_request_id } = job;
  const temporaryAccess = job.elevation ?? undefined;
  const call = { session: "", request_id, caller_request_id, client_address: "", temporaryAccess };
  return { org_id, user_id: person, token_id, now, call };
}

/** Takes links of a job away, which are given this once; `first`: said in the audit log. */
export const takeJobLinks = defineTransaction(
  "jobs.take-links",
  async (tx, { actor, id, first }: { actor: Actor; id: string; first: boolean }) => {
    const { org_id, now } = actor;
    if (first) await recordAlone(tx, actor, { action: "job.links_taken", object_id: id });
    return await takeLinks(tx, { org_id, job_id: id }, toTimestamp(now));
  },
);
