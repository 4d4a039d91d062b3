import type { RequestContext } from "../../calls/context.ts";
import { valuesOf } from "../../contract/filters.ts";
import { developerFilters } from "../../contract/list-filters.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { parseTimestamp } from "../../kernel/timestamps.ts";
import { findDeveloperRows } from "../accounts/v1.service.ts";
import { findListed, type ListedDeveloper } from "../developers/developer-list.store.ts";
import { type Developer, developerRevision } from "../developers/developer.ts";
import { jobKinds, type OwnKind } from "../../contract/job-kinds.ts";
import type { JobFilter } from "./job.ts";

/**
 * The developers behind a place that a filter finds, as their list has them, to whom the kind can
 * be done, and who were registered before the moment.
 */
export async function findFilteredDevelopers(
  ctx: RequestContext,
  kind: OwnKind,
  filter: JobFilter,
  { place, limit }: { place: string; limit: number },
) {
  const { only } = jobKinds[kind];
  const { state: wanted, ...others } = valuesOf(developerFilters, filter);
  const state = only === "active" || only === "inactive" ? only : wanted;
  if (wanted !== undefined && wanted !== state) return { rows: [], next: null, isComplete: true };
  const moment = parseTimestamp(toTimestamp(Date.parse(filter.created_before)))?.instant ?? "";
  const cursor = place === "" ? undefined : place;
  const found = await findDeveloperRows(ctx, { ...others, state, cursor, limit });
  const rows = found.rows.filter(({ instant }) => instant < moment)
    .map((row) => ({ request_id: row.id, revision: revisionOf(row) }));
  return { rows, next: found.next_cursor, isComplete: found.isComplete };
}

/**
 * The revisions of those of these developers that there are; to anyone who has a scope, none is.
 */
export async function knownDevelopers(
  { storage: { reader }, principal: { org_id, covers } }: RequestContext,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const known = new Map<string, string>();
  if (covers) return known;
  for (const id of ids) {
    const row = await findListed(reader, { org_id, id });
    if (row) known.set(id, revisionOf(row));
  }
  return known;
}

function revisionOf({ document, tags }: ListedDeveloper): string {
  // as: the developers' store writes exactly this.
  return developerRevision(JSON.parse(document) as Developer, tags);
}
