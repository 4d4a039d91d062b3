import type { RequestContext } from "../../calls/context.ts";
import { TimeSlices } from "../../kernel/time-slices.ts";
import { revisions } from "../key-requests/revision.ts";
import { countV1 } from "../key-requests/v1-counts.service.ts";
import { findMatching, type ListQuery } from "../key-requests/v1-list.service.ts";
import { findV1Of } from "../key-requests/v1.store.ts";
import { isWithin } from "../key-requests/within-scope.ts";
import { coverageOfCaller } from "../plans/coverage.ts";
import { decides, type JobFilter, type JobKind, type JobRow, selectionOf } from "./job.ts";
import { doneRows } from "./job-rows.store.ts";
import { findJob } from "./jobs.store.ts";

/** Rows of a selection that are read at once. */
const PART = 100;

/** Some rows of a selection, and where the next ones are; null: these are the last. */
export interface Part {
  rows: { request_id: string; revision: string }[];
  next: string | null;
}

/**
 * The rows of a job's selection behind its place, each with its revision; undefined: they can't be
 * told just now.
 */
export async function partOfSelection(
  ctx: RequestContext,
  job: JobRow,
): Promise<Part | undefined> {
  const selection = selectionOf(job);
  if ("filter" in selection) {
    const query = queryOf(job.kind, selection.filter, job.place);
    const { rows, next_cursor, isComplete } = await findMatching(ctx, query);
    if (!isComplete) return undefined;
    const revisionOf = await revisions();
    const found = rows.map((row) => ({ request_id: row.id, revision: revisionOf(row) }));
    return { rows: found, next: next_cursor };
  }
  const behind = Number(job.place);
  const { org_id } = job;
  const to = behind + PART;
  const { reader } = ctx.storage;
  const { ids, total } = "job" in selection
    ? {
      ids: await doneRows(reader, { org_id, job_id: selection.job }, behind, to),
      total: (await findJob(reader, org_id, selection.job))?.total ?? 0,
    }
    : "ids" in selection
    ? { ids: selection.ids.slice(behind, to), total: selection.ids.length }
    : { ids: [], total: 0 };
  const revisionOf = await revisions();
  const coverage = await coverageOfCaller(reader, ctx.principal);
  const known = new Map(
    (await findV1Of(reader, org_id, ids)).filter((row) => !coverage || isWithin(coverage, row))
      .map((row) => [row.id, revisionOf(row)]),
  );
  return {
    rows: ids.map((request_id) => ({ request_id, revision: known.get(request_id) ?? "" })),
    next: to < total ? String(to) : null,
  };
}

/** What waits longest comes first. What becomes late behind the moment stays out. */
function queryOf(kind: JobKind, filter: JobFilter, place: string): ListQuery {
  const cursor = place === "" ? {} : { cursor: place };
  const late = filter.late ? { late_at: Date.parse(filter.asked_before) } : {};
  return { ...filter, ...cursor, ...late, state: decides[kind], sort: "oldest", limit: PART };
}

/** Rows that are counted one by one, at the most. */
const COUNTED = 20_000;

/**
 * How many key requests a job of this kind would find; `complete` false: so many or more. `isAll`:
 * nothing but the moment narrows them, which counters know.
 */
export async function countSelection(
  ctx: RequestContext,
  kind: JobKind,
  filter: JobFilter,
  isAll: boolean,
): Promise<{ total: number; complete: boolean }> {
  // Of people with a scope they know no more than a part.
  if (isAll && !ctx.principal.covers) {
    const counts = await countV1(ctx);
    return { total: counts[decides[kind]], complete: true };
  }
  const slices = new TimeSlices();
  let place = "";
  for (let total = 0, complete = true;;) {
    const page = await findMatching(ctx, queryOf(kind, filter, place));
    total += page.rows.length;
    complete &&= page.isComplete;
    if (page.next_cursor === null) return { total, complete };
    if (total >= COUNTED) return { total, complete: false };
    place = page.next_cursor;
    await slices.pause();
  }
}
