import type { RequestContext } from "../../calls/context.ts";
import { valuesOf } from "../../contract/filters.ts";
import { certificateFilters } from "../../contract/list-filters.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { findMute } from "../../changes/alert-mutes.store.ts";
import { fingerprintOf } from "../certificates/certificate.ts";
import { findCertificate } from "../certificates/certificates.store.ts";
import { parseDetails, type StoredCare, toCare } from "../certificates/stored-certificate.ts";
import { findV1, type ListQuery } from "../certificates/v1.service.ts";
import { isOfMutes, revisionFor } from "./certificate-revision.ts";
import { jobKinds, type OwnKind } from "../../contract/job-kinds.ts";
import type { JobFilter } from "./job.ts";

/**
 * The certificates behind a place that a filter finds at its moment, as their list has them, to
 * which the kind can be done. Of those that were added in the moment's own second, none. People
 * with a scope see none.
 */
export async function findFilteredCertificates(
  ctx: RequestContext,
  kind: OwnKind,
  filter: JobFilter,
  { place, limit }: { place: string; limit: number },
) {
  if (ctx.principal.covers) return { rows: [], next: null, isComplete: true };
  const moment = Date.parse(filter.created_before);
  const { only } = jobKinds[kind];
  const isFit = (row: StoredCare & { details: string }) =>
    Date.parse(parseDetails(row).date_created) + SECOND_MS <= moment &&
    (only !== "owner" || toCare(row).owner !== "");
  const found = await findV1(ctx, queryOf(filter, place, limit), moment, isFit);
  const rows = await revised(ctx, kind, found.rows);
  const fitting = only === "mute" ? rows.filter(({ mute }) => mute) : rows;
  return {
    rows: fitting.map(({ request_id, revision }) => ({ request_id, revision })),
    next: found.next_cursor,
    isComplete: true,
  };
}

const SECOND_MS = 1000;

/** The query of the list. In the order of addition no one who is changed moves. */
function queryOf(filter: JobFilter, place: string, limit: number): ListQuery {
  return {
    ...valuesOf(certificateFilters, filter),
    sort: undefined,
    direction: undefined,
    cursor: place === "" ? undefined : place,
    limit,
  };
}

/** The revisions of those of these certificates that the caller sees. */
export async function knownCertificates(
  ctx: RequestContext,
  kind: OwnKind,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const { storage: { reader }, principal: { org_id, covers } } = ctx;
  if (covers) return new Map();
  const found = await Promise.all(ids.map(async (id) => {
    const fingerprint = fingerprintOf(org_id, id);
    const row = fingerprint && await findCertificate(reader, { org_id, fingerprint });
    return row ? [row] : [];
  }));
  const rows = await revised(ctx, kind, found.flat());
  return new Map(rows.map(({ request_id, revision }) => [request_id, revision]));
}

async function revised(
  { storage: { reader }, principal: { org_id }, clock }: RequestContext,
  kind: OwnKind,
  rows: readonly (StoredCare & { fingerprint: string })[],
) {
  const now = toTimestamp(clock.now());
  return await Promise.all(rows.map(async (row) => {
    const request_id = org_id + row.fingerprint;
    const mute = isOfMutes(kind)
      ? await findMute(reader, { org_id, object: "certificate", object_id: request_id, now })
      : undefined;
    return { request_id, revision: revisionFor(kind, row, mute), mute };
  }));
}
