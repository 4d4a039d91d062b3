import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { renewalsOf } from "./certificate-renewals.store.ts";
import { pageBehind } from "./certificate-cursor.ts";
import type { ListedRow } from "./certificate-keys.store.ts";
import { type CertificateQuery, endOfDays, secondAt, select } from "./selection.ts";
import { type StoredCare, toCare, toDetails } from "./stored-certificate.ts";
import type { listQuery } from "./v1.contract.ts";

/** The filters of a list. */
export type ListQuery = z.output<typeof listQuery>;

/** A page as JSON text, and where the next one starts. */
interface ListPage {
  text: string;
  next_cursor: string | null;
}

/** A page of certificates with every detail. Throws `invalid_input`. */
export async function listV1(ctx: RequestContext, query: ListQuery): Promise<ListPage> {
  const now = ctx.clock.now();
  const { rows, next_cursor } = await findV1(ctx, query, now);
  const cared = await careViewsOf(ctx, rows);
  return pageText(rows.map((row) => toDetails(row, now, cared(row))), next_cursor);
}

/**
 * The stored certificates of a page, as they are at `now`; `isFit`: which of them alone. Throws
 * `invalid_input`.
 */
export async function findV1(
  ctx: RequestContext,
  query: ListQuery,
  now: number,
  isFit?: (row: ListedRow) => boolean,
): Promise<{ rows: ListedRow[]; next_cursor: string | null }> {
  const { org_id } = ctx.principal;
  const { limit, cursor } = query;
  const selection = select(narrowedOf(org_id, query, now), now);
  const { wanted } = caredBy(query);
  const both = isFit
    ? { wanted: (row: ListedRow) => isFit(row) && (wanted?.(row) ?? true) }
    : wanted && { wanted };
  const page = { limit, cursor, columns: "details", ...both } as const;
  return await pageBehind(ctx, org_id, selection, page);
}

/** The filter of a list's rows by owner and tag. */
function caredBy({ owner, tag }: ListQuery): { wanted?: (row: StoredCare) => boolean } {
  if (owner === undefined && tag === undefined) return {};
  return {
    wanted: (row) =>
      (owner === undefined || (row.owner ?? "").toLowerCase() === owner.toLowerCase()) &&
      (tag === undefined || toCare(row).tags.includes(tag)),
  };
}

/** The members of these certificates that say who cares for them, and what renews them. */
async function careViewsOf(ctx: RequestContext, rows: readonly { fingerprint: string }[]) {
  const { org_id } = ctx.principal;
  const now = secondAt(ctx.clock.now());
  const fingerprints = rows.map(({ fingerprint }) => fingerprint);
  const renewals = await renewalsOf(ctx.storage.reader, { org_id, now }, fingerprints);
  return (row: StoredCare & { fingerprint: string }) => {
    const renewed = renewals.get(row.fingerprint);
    return { ...toCare(row), renewed_by: renewed === undefined ? null : org_id + renewed };
  };
}

/** The query as the lists take it. A search for an id is one for its fingerprint. */
function narrowedOf(org_id: string, query: ListQuery, now: number): CertificateQuery {
  const { expires_within: days, q } = query;
  const before = query.expires_before === undefined ? [] : [Date.parse(query.expires_before)];
  const after = query.expires_after === undefined ? [] : [Date.parse(query.expires_after)];
  if (days !== undefined) {
    before.push(endOfDays(days, now));
    after.push(now);
  }
  const asked = q?.trim().toLowerCase() ?? "";
  const isId = asked.startsWith(org_id) && asked.length > org_id.length;
  return {
    ...query,
    ...isId ? { q: asked.slice(org_id.length) } : {},
    expires_before: before.length > 0 ? Math.min(...before) : undefined,
    expires_after: after.length > 0 ? Math.max(...after) : undefined,
  };
}

export function pageText(items: readonly string[], next_cursor: string | null): ListPage {
  const text = `{"data":[${items.join(",")}],"next_cursor":${JSON.stringify(next_cursor)}}`;
  return { text, next_cursor };
}
