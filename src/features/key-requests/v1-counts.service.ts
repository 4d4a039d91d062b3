import type { RequestContext } from "../../calls/context.ts";
import type { RequestState } from "./key-request.ts";
import { counters } from "./request-counters.ts";
import { findMatching, type Matching } from "./v1-list.service.ts";

/** So many are counted for people with a scope. */
export const MOST_WITHIN = 1000;

/** How many of a state there are within the caller's scope: MOST_WITHIN where there are more. */
async function countWithin(ctx: RequestContext, state: RequestState): Promise<number> {
  let n = 0;
  let cursor: string | null | undefined;
  do {
    const page: Matching = await findMatching(ctx, { state, limit: 100, ...cursor && { cursor } });
    n += page.rows.length;
    cursor = page.next_cursor;
  } while (cursor !== null && n < MOST_WITHIN);
  return Math.min(n, MOST_WITHIN);
}

/** How many key requests there are in each state; within a scope up to 1,000 of each. */
export async function countV1(ctx: RequestContext) {
  if (ctx.principal.covers) {
    const pending = await countWithin(ctx, "pending");
    const issued = await countWithin(ctx, "issued");
    const declined = await countWithin(ctx, "declined");
    return { pending, issued, declined, all: pending + issued + declined };
  }
  const { storage: { reader }, principal: { org_id } } = ctx;
  const [pending, issued, declined] = await Promise.all([
    counters.pending.count(reader, org_id),
    counters.issued.count(reader, org_id),
    counters.declined.count(reader, org_id),
  ]);
  return { pending, issued, declined, all: pending + issued + declined };
}
