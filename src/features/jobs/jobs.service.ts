import type { Filters } from "../../contract/filters.ts";
import { jobLists } from "../../contract/list-filters.ts";
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
import { findUserName } from "../people/people.store.ts";
import { areLinksMailed } from "../notifications/recipients.transactions.ts";
import { personOf, UNASSIGNED } from "../key-requests/assigned.ts";
import { conditionsOf, grantedIn } from "../key-requests/granted-terms.ts";
import { grantedTerms } from "../key-requests/sent-terms.ts";
import { sentEnd } from "../keys/key.ts";
import { conditionsIn } from "../keys/key-conditions.ts";
import { JobEngine } from "./job-engine.ts";
import { hasLinks } from "./job-links.store.ts";
import {
  type JobKind,
  jobKinds,
  type JobOf,
  type KeysOfDevelopers,
  type OwnKind,
  ownKinds,
} from "../../contract/job-kinds.ts";
import {
  isSmall,
  type JobFilter,
  type JobRow,
  type JobTerms,
  neededFor,
  ofWhat,
  type SeenRow,
  type Selection,
  selectionOf,
  termsOf,
} from "./job.ts";
import type {
  countSelectionQuery,
  job as jobContract,
  jobInput,
  jobSelection,
  listJobsQuery,
} from "./jobs.contract.ts";
import { findJob, jobsBelow } from "./jobs.store.ts";
import { startJob, stopJob } from "./jobs.transactions.ts";
import { countSelection } from "./selection.service.ts";

type Job = z.output<typeof jobContract>;
type Input = z.output<typeof jobInput>;

/** Starts a job. Throws `invalid_input`, `access_denied`, and what the endpoint lists. */
export async function start(
  ctx: RequestContext,
  input: Input,
  idempotency: Idempotency,
): Promise<Job> {
  const { storage, principal, clock } = ctx;
  const actor = actorOf(principal, clock.now());
  const { kind, reason = "", message = "", conditions = {}, at_most = 0 } = input;
  const selection = selected(ctx, input, actor.now);
  requireSmallInTemporaryAccess(ctx, kind, selection);
  const undone = "job" in selection ? await requireUndone(ctx, kind, selection.job) : undefined;
  const job = {
    id: newId(actor.now),
    kind,
    reason: reason || null,
    message: message || null,
    conditions: grantedTerms(conditions, actor.now),
    at_most,
    assignee: personOf(principal, input.assignee ?? UNASSIGNED),
    key_expires_at: sentEnd(input.expires_at),
    deliver: handsOver(kind) ? input.deliver ?? "links" as const : "" as const,
    terms: kind === "undo" && undone ? undone : termsIn(input),
    selection,
  };
  const call = idempotentCall(principal, actor.now, idempotency);
  const started = await storage.commit(startJob, { actor, job, idempotency: call });
  if (!started.small) return await serialize(ctx, started);
  // The call may be a repeated one, and others may have worked on the job meanwhile.
  await new JobEngine(ctx).workOn(started, WAITED_MS);
  return await serialize(ctx, await findJob(storage.reader, started.org_id, started.id) ?? started);
}

/** How long a call waits for a small job. */
const WAITED_MS = 5000;

const handsOver = (kind: JobKind) => kind !== "undo" && jobKinds[kind].taken.includes("deliver");

/** The inputs of its rows; null: none. */
function termsIn({ plans, tags, overlap_seconds, keys, owner, until }: Input): JobTerms | null {
  const terms = {
    ...plans && { plans: [...new Set(plans)] },
    ...tags && { tags: [...new Set(tags)] },
    ...overlap_seconds === undefined ? {} : { overlap_seconds },
    ...owner ? { owner } : {},
    ...until ? { until: toTimestamp(Date.parse(until)) } : {},
    ...keys && { keys },
  };
  return Object.keys(terms).length === 0 ? null : terms;
}

/** Why a key's state changes is stored with the key, which has room for this many characters. */
const MOST_REASON = 500;

function selected(ctx: RequestContext, input: Input, now: number): Selection {
  const { kind, filter, ids, seen, of_job } = input;
  if ([filter, ids, seen, of_job].filter((one) => one !== undefined).length !== 1) {
    throw invalid("filter, ids, seen, of_job: expected exactly one of them");
  }
  const takesBack = kind === "reopen" || kind === "undo";
  if (!takesBack && of_job !== undefined) {
    throw invalid("of_job: goes with the kinds reopen and undo");
  }
  if (kind === "undo") {
    if (of_job === undefined) throw invalid("of_job: needed by the kind undo");
    return { job: of_job };
  }
  refuseGiven(kind, input);
  requireMay(ctx, kind, input.keys);
  const { of, keys } = jobKinds[kind];
  if (input.keys && !keys?.includes(input.keys)) {
    throw invalid(`keys: ${input.keys} does not go with the kind ${kind}`);
  }
  if (input.until !== undefined && Date.parse(input.until) <= now) {
    throw invalid("until: expected a time to come");
  }
  if (of !== "key_requests" && (input.reason ?? "").length > MOST_REASON) {
    throw invalid(`reason: expected at most ${MOST_REASON} characters`);
  }
  if (seen !== undefined) return { seen: distinct(seen) };
  if (filter !== undefined) {
    requireReading(ctx, of);
    refuseFilter(kind, filter, "filter.");
    return { filter: untilNow(filter, now) };
  }
  return ids !== undefined ? { ids: [...new Set(ids)] } : { job: of_job ?? "" };
}

/**
 * Each object once, as it was seen. Two different states of one are refused with a message that
 * names it.
 */
function distinct(seen: readonly SeenRow[]): SeenRow[] {
  return [...new Map(seen.map((one) => [`${one.id}\n${one.revision}`, one])).values()];
}

/** The inputs of some kinds, in the order of their checks. */
const GIVEN = [
  "assignee",
  "reason",
  "deliver",
  "expires_at",
  "message",
  "conditions",
  "seen",
  "plans",
  "tags",
  "overlap_seconds",
  "owner",
  "until",
  "keys",
] as const;

/** Throws `invalid_input` for what does not go with the kind, and where it lacks what it needs. */
function refuseGiven(kind: OwnKind, input: Input): void {
  for (const name of GIVEN) {
    const isGiven = input[name] !== undefined && input[name] !== "";
    const takes = (one: OwnKind) =>
      [...jobKinds[one].needed, ...jobKinds[one].taken].includes(name);
    if (isGiven && !takes(kind)) {
      throw invalid(`${name}: goes with ${ownKinds.filter(takes).join(", ")} alone`);
    }
    if (!isGiven && jobKinds[kind].needed.includes(name)) {
      throw invalid(`${name}: needed by the kind ${kind}`);
    }
  }
}

/** Throws `access_denied` where temporary access does no such job. */
function requireSmallInTemporaryAccess(
  { principal: { temporaryAccess } }: RequestContext,
  kind: JobKind,
  selection: Selection,
): void {
  if (!temporaryAccess) return;
  if (kind === "undo" || !jobKinds[kind].inTemporaryAccess || !isSmall(selection)) {
    throw new Failure("access_denied");
  }
}

/**
 * Throws `access_denied` where the caller may not do what the kind does to one: no one with a scope
 * changes certificates and developers.
 */
function requireMay(
  { principal }: RequestContext,
  kind: OwnKind,
  keys?: KeysOfDevelopers,
): void {
  const isAllowed = neededFor(kind, keys).every((one) => may(principal, one));
  const isOutside = ["certificates", "developers"].includes(jobKinds[kind].of);
  if (!isAllowed || (principal.covers && isOutside)) throw new Failure("access_denied");
}

function invalid(message: string): Failure {
  return new Failure("invalid_input", { message, details: [message] });
}

/** Throws `invalid_input` for what does not narrow a job of this kind. */
function refuseFilter(kind: OwnKind, filter: Partial<JobFilter>, of: string): void {
  const filters: Filters = jobLists[jobKinds[kind].of];
  for (const [name, said] of Object.entries(filter)) {
    if (said !== undefined && name !== "created_before" && !filters[name]?.words) {
      throw invalid(`${of}${name}: does not narrow the kind ${kind}`);
    }
  }
  const { state } = filters;
  if (filter.state && state?.takes === "choice" && !state.of.includes(filter.state)) {
    throw invalid(`${of}state: expected ${state.of.join(", ")}`);
  }
  if (filter.schedule && filter.q) throw invalid(`${of}schedule: goes without q`);
  if (filter.waits_for && kind === "reopen") {
    throw invalid(`${of}waits_for: declined requests wait for no decision`);
  }
}

/** Throws `access_denied` where the caller may not look at what a job is over. */
export function requireReading({ principal }: RequestContext, of: JobOf): void {
  const permission = of === "certificates" ? "certs:read" : "portal:read";
  if (!may(principal, permission)) throw new Failure("access_denied");
}

/** The filter with its moment, which is not later than now. */
function untilNow(filter: Partial<JobFilter>, now: number): JobFilter {
  const moment = toTimestamp(now);
  const { created_before = moment } = filter;
  const instant = parseTimestamp(created_before)?.instant ?? "";
  const latest = parseTimestamp(moment)?.instant ?? "";
  return { ...filter, created_before: instant < latest ? created_before : moment };
}

/**
 * Which kind of job a job of this kind takes back, and what became of keys by it. Throws
 * `not_found`, and `invalid_input` for one that can't be taken back so, or goes on.
 */
async function requireUndone(
  ctx: RequestContext,
  kind: JobKind,
  id: string,
): Promise<JobTerms> {
  const job = await found(ctx, id);
  if (job.kind === "undo" || jobKinds[job.kind].undoneBy !== kind) {
    throw invalid(`of_job: the kind ${kind} does not take back what this job did`);
  }
  requireMay(ctx, job.kind, termsOf(job).keys);
  if (kind === "undo" && job.ended_at === null) throw invalid("of_job: the job goes on");
  const { keys } = termsOf(job);
  return { undoes: job.kind, ...keys && { keys } };
}

/** How much a filter selects. */
export async function count(
  ctx: RequestContext,
  { kind = "approve", ...filter }: z.output<typeof countSelectionQuery>,
): Promise<z.output<typeof jobSelection>> {
  const { storage: { reader }, principal: { org_id }, clock } = ctx;
  const { of } = jobKinds[kind];
  requireReading(ctx, of);
  requireMay(ctx, kind);
  refuseFilter(kind, filter, "");
  const until = untilNow(filter, clock.now());
  const isAll = Object.values(filter).every((one) => one === undefined);
  const counted = await countSelection(ctx, kind, until, isAll);
  const mails_links = await areLinksMailed(reader, org_id);
  return { ...counted, created_before: until.created_before, mails_links };
}

/** Jobs, newest first. Throws `invalid_input` for a cursor of another list. */
export async function list(
  ctx: RequestContext,
  { mine, ...page }: z.output<typeof listJobsQuery>,
): Promise<Page<Job>> {
  const { storage: { reader }, principal: { org_id, user_id } } = ctx;
  const all = seesAll(ctx);
  const { rows, next_cursor } = await walk<JobRow>({
    ...byId<JobRow>("jobs", (below, limit) => jobsBelow(reader, org_id, below, limit)),
    wanted: ({ person }) => (mine === undefined && all) || person === user_id,
    cover: cursorCover(ctx),
  }, page);
  return { data: await Promise.all(rows.map((row) => serialize(ctx, row))), next_cursor };
}

/** One job. Throws `not_found`. */
export async function get(ctx: RequestContext, id: string): Promise<Job> {
  return await serialize(ctx, await found(ctx, id));
}

/** Stops a job. Throws `not_found` and `job_over`. */
export async function stop(ctx: RequestContext, id: string): Promise<Job> {
  await found(ctx, id);
  const actor = actorOf(ctx.principal, ctx.clock.now());
  return await serialize(ctx, await ctx.storage.commit(stopJob, { actor, id }));
}

/** A job of the caller's organisation that they see. Throws `not_found`. */
export async function found(ctx: RequestContext, id: string): Promise<JobRow> {
  const { org_id, user_id } = ctx.principal;
  const job = await findJob(ctx.storage.reader, org_id, id);
  if (!job || (!seesAll(ctx) && job.person !== user_id)) throw new Failure("not_found");
  return job;
}

/** Whether the caller sees the jobs of others, which no one does by temporary access. */
function seesAll({ principal }: RequestContext): boolean {
  if (principal.covers || principal.temporaryAccess) return false;
  return may(principal, "approve") || may(principal, "admin:read");
}

async function serialize(ctx: RequestContext, row: JobRow): Promise<Job> {
  const { storage: { reader }, principal, clock } = ctx;
  const { org_id, id, kind, state, why, deliver, reason, message, done } = row;
  const { steps, left_alone, failed } = row;
  const { plans = null, tags = null, overlap_seconds = null, undoes = null } = termsOf(row);
  const { owner = null, until = null } = termsOf(row);
  const { keys = null } = termsOf(row);
  const selection = selectionOf(row);
  const nameOf = async (user: string) => await findUserName(reader, { org_id, id: user }) ?? user;
  const mine = row.person === principal.user_id;
  const waiting = mine && deliver === "links" &&
    await hasLinks(reader, { org_id, job_id: id, now: toTimestamp(clock.now()) });
  return {
    id,
    kind,
    of: ofWhat(row),
    undoes,
    undone_by: kind === "undo" ? null : jobKinds[kind].undoneBy,
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
    plans,
    tags,
    overlap_seconds,
    owner,
    until,
    keys,
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
