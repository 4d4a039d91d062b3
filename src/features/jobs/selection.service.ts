import type { RequestContext } from "../../calls/context.ts";
import { valuesOf } from "../../contract/filters.ts";
import { requestFilters } from "../../contract/list-filters.ts";
import { TimeSlices } from "../../kernel/time-slices.ts";
import { revisions } from "../key-requests/revision.ts";
import { countV1 } from "../key-requests/v1-counts.service.ts";
import { findMatching, type ListQuery } from "../key-requests/v1-list.service.ts";
import { findV1Of } from "../key-requests/v1.store.ts";
import { isWithin } from "../key-requests/within-scope.ts";
import { coverageOfCaller } from "../plans/coverage.ts";
import { jobKinds, type OwnKind } from "../../contract/job-kinds.ts";
import { actsAs, type JobFilter, type JobRow, selectionOf, type WhatItWas } from "./job.ts";
import { doneRows, undoRows } from "./job-rows.store.ts";
import { findJob } from "./jobs.store.ts";
import { findFilteredCertificates, knownCertificates } from "./select-certificates.service.ts";
import { findFilteredDevelopers, knownDevelopers } from "./select-developers.service.ts";
import { findFilteredKeys, knownKeys } from "./select-keys.service.ts";

/** Rows of a selection that are read at once. */
const PART = 100;

/** Some rows of a selection, and where the next ones are; null: these are the last. */
export interface Part {
  rows: { request_id: string; revision: string; was?: string }[];
  next: string | null;
}

/**
 * The rows of a job's selection behind its position, each with its revision; undefined: they can't
 * be read now.
 */
export async function partOfSelection(
  ctx: RequestContext,
  job: JobRow,
): Promise<Part | undefined> {
  const selection = selectionOf(job);
  if ("filter" in selection) {
    const found = await findFiltered(ctx, actsAs(job), selection.filter, job.place);
    return found.isComplete ? found : undefined;
  }
  const behind = Number(job.place);
  const { org_id } = job;
  const to = behind + PART;
  const { reader } = ctx.storage;
  if ("job" in selection && job.kind === "undo") {
    const of = { org_id, job_id: selection.job };
    const { total = 0 } = await findJob(reader, org_id, selection.job) ?? {};
    const rows = (await undoRows(reader, of, behind, to)).map(({ request_id, was }) => {
      // as: the row's turn wrote it.
      const { revision } = JSON.parse(was) as WhatItWas;
      return { request_id, revision, was };
    });
    return { rows, next: to < total ? String(to) : null };
  }
  if ("seen" in selection) {
    const { seen } = selection;
    const rows = seen.slice(behind, to).map(({ id, revision }) => ({ request_id: id, revision }));
    return { rows, next: to < seen.length ? String(to) : null };
  }
  const { ids, total } = "job" in selection
    ? {
      ids: await doneRows(reader, { org_id, job_id: selection.job }, behind, to),
      total: (await findJob(reader, org_id, selection.job))?.total ?? 0,
    }
    : "ids" in selection
    ? { ids: selection.ids.slice(behind, to), total: selection.ids.length }
    : { ids: [], total: 0 };
  const kind = actsAs(job);
  const { of } = jobKinds[kind];
  const known = of === "certificates"
    ? await knownCertificates(ctx, kind, ids)
    : await knownOf[of](ctx, ids);
  return {
    rows: ids.map((request_id) => ({ request_id, revision: known.get(request_id) ?? "" })),
    next: to < total ? String(to) : null,
  };
}

const knownOf = { key_requests: knownRequests, keys: knownKeys, developers: knownDevelopers };

/** The revisions of those of these key requests that the caller sees. */
async function knownRequests(
  ctx: RequestContext,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const { storage: { reader }, principal } = ctx;
  const revisionOf = await revisions();
  const coverage = await coverageOfCaller(reader, principal);
  return new Map(
    (await findV1Of(reader, principal.org_id, [...ids]))
      .filter((row) => !coverage || isWithin(coverage, row))
      .map((row) => [row.id, revisionOf(row)]),
  );
}

/** A part of what a filter finds; `isComplete` false: a search may lack the newest. */
async function findFiltered(
  ctx: RequestContext,
  kind: OwnKind,
  filter: JobFilter,
  place: string,
): Promise<Part & { isComplete: boolean }> {
  const { of } = jobKinds[kind];
  if (of === "keys") return await findFilteredKeys(ctx, kind, filter, { place, limit: PART });
  if (of === "certificates") {
    return await findFilteredCertificates(ctx, kind, filter, { place, limit: PART });
  }
  if (of === "developers") {
    return await findFilteredDevelopers(ctx, kind, filter, { place, limit: PART });
  }
  // Earlier code narrowed by what was late: no one knows that now, and all would be too many.
  if ("late" in filter) return { rows: [], next: null, isComplete: true };
  const query = queryOf(kind, filter, place);
  const { rows, next_cursor: next, isComplete } = await findMatching(ctx, query);
  const revisionOf = await revisions();
  const found = rows.map((row) => ({ request_id: row.id, revision: revisionOf(row) }));
  return { rows: found, next, isComplete };
}

/** The row that waits longest comes first. */
function queryOf(kind: OwnKind, filter: JobFilter, place: string): ListQuery {
  const narrowed = valuesOf(requestFilters, filter);
  const cursor = place === "" ? undefined : place;
  return { ...narrowed, cursor, state: stateOf(kind), sort: "oldest", limit: PART };
}

/** The state that a key request has to be in. */
function stateOf(kind: OwnKind): "pending" | "declined" {
  return jobKinds[kind].only === "declined" ? "declined" : "pending";
}

/** Rows that are counted one by one, at the most. */
const COUNTED = 20_000;

/**
 * How much a job of this kind would find; `complete` false: so much or more. `isAll`: nothing but
 * the moment narrows it, which counters know of key requests.
 */
export async function countSelection(
  ctx: RequestContext,
  kind: OwnKind,
  filter: JobFilter,
  isAll: boolean,
): Promise<{ total: number; complete: boolean }> {
  // Of people with a scope they know no more than a part.
  if (isAll && !ctx.principal.covers && jobKinds[kind].of === "key_requests") {
    const counts = await countV1(ctx);
    return { total: counts[stateOf(kind)], complete: true };
  }
  const slices = new TimeSlices();
  let place = "";
  for (let total = 0, complete = true;;) {
    const page = await findFiltered(ctx, kind, filter, place);
    total += page.rows.length;
    complete &&= page.isComplete;
    if (page.next === null) return { total, complete };
    if (total >= COUNTED) return { total, complete: false };
    place = page.next;
    await slices.pause();
  }
}
