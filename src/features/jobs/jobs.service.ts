import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { cursorCover } from "../../calls/cursor-cover.ts";
import { actorOf, type Idempotency, idempotentCall, may } from "../../calls/principal.ts";
import type { Page } from "../../contract/paging.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { newId } from "../../kernel/ids.ts";
import { parseTimestamp } from "../../kernel/timestamps.ts";
import { byId, walk } from "../../kernel/walk.ts";
import { findUserName } from "../access/people.store.ts";
import { areLinksMailed } from "../deliveries/recipients.transactions.ts";
import { NOBODY, personOf } from "../key-requests/assigned.ts";
import { conditionsOf, grantedIn } from "../key-requests/granted-terms.ts";
import { grantedTerms } from "../key-requests/sent-terms.ts";
import { sentEnd } from "../keys/key.ts";
import { conditionsIn } from "../keys/key-conditions.ts";
import { hasLinks } from "./job-links.store.ts";
import {
  decides,
  type JobFilter,
  type JobKind,
  type JobRow,
  type Selection,
  selectionOf,
} from "./job.ts";
import type * as contract from "./jobs.contract.ts";
import { findJob, jobsBelow } from "./jobs.store.ts";
import { startJob, stopJob } from "./jobs.transactions.ts";
import { countSelection } from "./selection.service.ts";

type Job = z.output<typeof contract.job>;
type Input = z.output<typeof contract.startJob.body & z.ZodType>;

/** Starts a job. Throws `invalid_input`, `access_denied`, and what the endpoint lists. */
export async function start(
  ctx: RequestContext,
  input: Input,
  idempotency: Idempotency,
): Promise<Job> {
  const { storage, principal, clock } = ctx;
  const actor = actorOf(principal, clock.now());
  const { kind, reason = "", message = "", conditions = {}, at_most = 0 } = input;
  const job = {
    id: newId(actor.now),
    kind,
    reason: reason || null,
    message: message || null,
    conditions: grantedTerms(conditions, actor.now),
    at_most,
    assignee: personOf(principal, input.assignee ?? NOBODY),
    key_expires_at: sentEnd(input.expires_at),
    deliver: kind === "approve" ? input.deliver ?? "links" as const : "" as const,
    selection: selected(ctx, input, actor.now),
  };
  if ("job" in job.selection) await requireDeclined(ctx, job.selection.job);
  const call = idempotentCall(principal, actor.now, idempotency);
  return await show(ctx, await storage.commit(startJob, { actor, job, idempotency: call }));
}

function selected(ctx: RequestContext, input: Input, now: number): Selection {
  const { kind, filter, ids, of_job } = input;
  if ([filter, ids, of_job].filter((one) => one !== undefined).length !== 1) {
    throw invalid("filter, ids, of_job: expected exactly one of them");
  }
  if ((kind === "assign") !== (input.assignee !== undefined)) {
    throw invalid("assignee: expected with the kind assign, and with no other");
  }
  if (kind === "assign" && input.reason) throw invalid("reason: only decisions have one");
  if (kind !== "approve" && input.deliver !== undefined) {
    throw invalid("deliver: only an approval hands anything over");
  }
  if (kind !== "approve" && input.expires_at !== undefined) {
    throw invalid("expires_at: only what is approved has a key that ends");
  }
  if (kind !== "approve" && input.message !== undefined) {
    throw invalid("message: only what is approved is told of by one");
  }
  if (kind !== "approve" && input.conditions !== undefined) {
    throw invalid("conditions: only an approval grants anything");
  }
  if (kind !== "reopen" && of_job !== undefined) {
    throw invalid("of_job: only what was declined can be reopened");
  }
  if (filter !== undefined) {
    requireReading(ctx);
    refuseLate(kind, filter, "filter.late");
    return { filter: untilNow(filter, now) };
  }
  return ids !== undefined ? { ids: [...new Set(ids)] } : { job: of_job ?? "" };
}

function invalid(message: string): Failure {
  return new Failure("invalid_input", { message, details: [message] });
}

/** Throws `invalid_input` where what is late is looked for among what was decided. */
function refuseLate(kind: JobKind, { late }: Partial<JobFilter>, member: string): void {
  if (late && decides[kind] !== "pending") throw invalid(`${member}: only what waits is late`);
}

/** Throws `access_denied` where the caller may not look at key requests. */
function requireReading({ principal }: RequestContext): void {
  if (!may(principal, "portal:read")) throw new Failure("access_denied");
}

/** The filter with its moment, which is not later than now. */
function untilNow(filter: Partial<JobFilter>, now: number): JobFilter {
  const moment = toTimestamp(now);
  const { asked_before = moment } = filter;
  const instant = parseTimestamp(asked_before)?.instant ?? "";
  const latest = parseTimestamp(moment)?.instant ?? "";
  return { ...filter, asked_before: instant < latest ? asked_before : moment };
}

/** Throws `not_found`, and `invalid_input` for a job that declined nothing. */
async function requireDeclined(ctx: RequestContext, id: string): Promise<void> {
  const { kind } = await found(ctx, id);
  if (kind !== "decline") throw invalid("of_job: expected a job that declined");
}

/** How much a filter selects. */
export async function count(
  ctx: RequestContext,
  { kind = "approve", ...filter }: z.output<typeof contract.countSelection.query & z.ZodType>,
): Promise<z.output<typeof contract.countSelection.response>> {
  const { storage: { reader }, principal: { org_id }, clock } = ctx;
  refuseLate(kind, filter, "late");
  const until = untilNow(filter, clock.now());
  const isAll = Object.values(filter).every((one) => one === undefined);
  const counted = await countSelection(ctx, kind, until, isAll);
  const mails_links = await areLinksMailed(reader, org_id);
  return { ...counted, asked_before: until.asked_before, mails_links };
}

/** Jobs, newest first. Throws `invalid_input` for a cursor of another list. */
export async function list(
  ctx: RequestContext,
  { mine, ...page }: z.output<typeof contract.listJobs.query & z.ZodType>,
): Promise<Page<Job>> {
  const { storage: { reader }, principal: { org_id, user_id, covers } } = ctx;
  const { rows, next_cursor } = await walk<JobRow>({
    ...byId<JobRow>("jobs", (below, limit) => jobsBelow(reader, org_id, below, limit)),
    wanted: ({ person }) => (mine === undefined && !covers) || person === user_id,
    cover: cursorCover(ctx),
  }, page);
  return { data: await Promise.all(rows.map((row) => show(ctx, row))), next_cursor };
}

/** One job. Throws `not_found`. */
export async function get(ctx: RequestContext, id: string): Promise<Job> {
  return await show(ctx, await found(ctx, id));
}

/** Stops a job. Throws `not_found` and `job_over`. */
export async function stop(ctx: RequestContext, id: string): Promise<Job> {
  await found(ctx, id);
  const actor = actorOf(ctx.principal, ctx.clock.now());
  return await show(ctx, await ctx.storage.commit(stopJob, { actor, id }));
}

/** A job of the caller's organisation; with a scope, of their own. Throws `not_found`. */
export async function found(ctx: RequestContext, id: string): Promise<JobRow> {
  const { org_id, user_id, covers } = ctx.principal;
  const job = await findJob(ctx.storage.reader, org_id, id);
  if (!job || (covers && job.person !== user_id)) throw new Failure("not_found");
  return job;
}

async function show(ctx: RequestContext, row: JobRow): Promise<Job> {
  const { storage: { reader }, principal, clock } = ctx;
  const { org_id, id, kind, state, why, deliver, reason, message, done } = row;
  const { steps, left_alone, failed } = row;
  const selection = selectionOf(row);
  const nameOf = async (user: string) => await findUserName(reader, { org_id, id: user }) ?? user;
  const mine = row.person === principal.user_id;
  const waiting = mine && deliver === "links" &&
    await hasLinks(reader, { org_id, job_id: id, now: toTimestamp(clock.now()) });
  return {
    id,
    kind,
    state,
    // as: only a job that was broken off has one, and settleJob wrote it.
    why: why === "" ? null : why as Job["why"],
    filter: "filter" in selection ? selection.filter : null,
    of_job: "job" in selection ? selection.job : null,
    deliver: deliver === "" ? null : deliver,
    reason,
    assignee: row.assignee === null ? null : { id: row.assignee, name: await nameOf(row.assignee) },
    message,
    conditions: row.conditions === null
      ? null
      : conditionsIn(conditionsOf(grantedIn(row.conditions))),
    key_expires_at: row.key_expires_at,
    total: state === "preparing" ? null : row.total,
    done,
    steps,
    left_alone,
    failed,
    started_at: row.started_at,
    started_by: row.person,
    started_by_name: await nameOf(row.person),
    stopped_by_name: row.stopped_by === "" ? null : await nameOf(row.stopped_by),
    ended_at: row.ended_at,
    expires_at: row.expires_at,
    mine,
    links_wait: waiting,
  };
}
