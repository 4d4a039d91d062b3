import type { RequestContext } from "../../calls/context.ts";
import { valuesOf } from "../../contract/filters.ts";
import { keyFilters } from "../../contract/list-filters.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { keyRevision, refusalOf } from "../keys/key.ts";
import { findKeys, type KeyRow } from "../keys/key-list.store.ts";
import { findKeyRows } from "../keys/list-keys.service.ts";
import { coverageOfCaller, isSeenBy } from "../plans/coverage.ts";
import { jobKinds, type OwnKind } from "../../contract/job-kinds.ts";
import type { JobFilter } from "./job.ts";

/**
 * The keys behind a place that a filter finds, as their list has them, to which the kind can be
 * done, and which were issued before the moment.
 */
export async function findFilteredKeys(
  ctx: RequestContext,
  kind: OwnKind,
  filter: JobFilter,
  { place, limit }: { place: string; limit: number },
) {
  const now = toTimestamp(ctx.clock.now());
  const moment = toTimestamp(Date.parse(filter.created_before));
  const { move } = jobKinds[kind];
  const fits = (row: KeyRow) =>
    row.issued_at < moment && (move === undefined || refusalOf(move, row, now) === undefined);
  const found = await findKeyRows(
    ctx,
    {
      ...valuesOf(keyFilters, filter),
      cursor: place === "" ? undefined : place,
      limit,
    },
    now,
    fits,
  );
  const rows = found.rows.map((row) => ({ request_id: row.key_id, revision: keyRevision(row) }));
  return { rows, next: found.next_cursor, isComplete: found.isComplete };
}

/** The revisions of those of these keys that the caller sees. */
export async function knownKeys(
  { storage: { reader }, principal }: RequestContext,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const coverage = await coverageOfCaller(reader, principal);
  const rows = [...(await findKeys(reader, principal.org_id, ids)).values()];
  return new Map(
    rows.filter((row) => isSeenBy(coverage, row)).map((row) => [row.key_id, keyRevision(row)]),
  );
}
