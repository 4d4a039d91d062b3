import { developerActor } from "../../calls/principal.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { EXPIRY } from "../key-requests/expiry.ts";
import { type MyContext, ownerOf } from "./own.ts";
import { newestApprovals, newestDeclines } from "./usual-time.store.ts";

const DAY_MS = 86_400_000;
const DAYS = 30;
/** What fewer decisions tell is left to chance, and not told. */
const LEAST = 5;
/** How long what was found is told, in milliseconds. */
const KEPT_MS = 600_000;
/** How actors of developers begin, who decide about nothing but what needs nobody. */
const DEVELOPERS = developerActor("");

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
  return (ids) => median(ids.flatMap((id) => seconds.get(id) ?? []));
}

async function decided({ storage }: MyContext, org_id: string, now: number): Promise<Usual> {
  const place = { org_id, since: toTimestamp(now - DAYS * DAY_MS) };
  const rows = [
    ...await newestApprovals(storage.reader, place),
    ...await newestDeclines(storage.reader, place),
  ];
  const seconds = new Map<string, number[]>();
  for (const { for_plan, instant, at, by } of rows) {
    const took = (Date.parse(at ?? "") - Date.parse(instant)) / 1000;
    // What was dated by its client may be decided before it was asked for.
    if (!(took >= 0) || by === EXPIRY || by?.startsWith(DEVELOPERS)) continue;
    const known = seconds.get(for_plan) ?? [];
    known.push(took);
    seconds.set(for_plan, known);
  }
  return { seconds, length: rows.length * 16 };
}

function median(times: readonly number[]): number | null {
  if (times.length < LEAST) return null;
  const sorted = times.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = 0, high = 0] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return Math.round((low + high) / 2);
}
