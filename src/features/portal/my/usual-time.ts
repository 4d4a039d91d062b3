import { toTimestamp } from "../../../kernel/clock.ts";
import {
  newestApprovals,
  newestDeclines,
  NO_END,
} from "../../key-requests/decision-times.store.ts";
import { medianOf, secondsOf } from "../../key-requests/decision-times.ts";
import { type MyContext, ownerOf } from "./own.ts";

const DAY_MS = 86_400_000;
const DAYS = 30;
/** How long a result is reused, in milliseconds. */
const KEPT_MS = 600_000;

interface Usual {
  readonly seconds: ReadonlyMap<string, readonly number[]>;
  readonly length: number;
}

/**
 * Tells how long it takes until a request for a plan, by all its ids, is decided: the median of
 * what people decided in the last 30 days, in seconds; null: that were fewer than 5. Two reads of a
 * limited length for all plans of the organisation, kept for 10 minutes.
 */
export async function usualTimes(
  ctx: MyContext,
): Promise<(ids: readonly string[]) => number | null> {
  const { storage, readCache, clock } = ctx;
  const { org_id } = ownerOf(ctx);
  const now = clock.now();
  const moment = String(Math.floor(now / KEPT_MS));
  const { seconds } = await readCache.get<Usual>(
    `${org_id} my usual times`,
    storage.changes,
    async () => ({ answer: await decided(ctx, org_id, now), parts: [] }),
    moment,
  );
  return (ids) => medianOf(ids.flatMap((id) => seconds.get(id) ?? []));
}

async function decided({ storage }: MyContext, org_id: string, now: number): Promise<Usual> {
  const place = { org_id, since: toTimestamp(now - DAYS * DAY_MS), until: NO_END };
  const rows = [
    ...await newestApprovals(storage.reader, place),
    ...await newestDeclines(storage.reader, place),
  ];
  const seconds = new Map<string, number[]>();
  for (const row of rows) {
    const took = secondsOf(row);
    if (took === undefined) continue;
    const known = seconds.get(row.for_plan) ?? [];
    known.push(took);
    seconds.set(row.for_plan, known);
  }
  return { seconds, length: rows.length * 16 };
}
