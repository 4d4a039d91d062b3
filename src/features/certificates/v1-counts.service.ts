import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import type { Answer } from "../../kernel/answer.ts";
import { answerOfTheSecond } from "./answer-of-the-second.ts";
import { countByEnd, countInvalid, countKinds } from "./certificate-counts.store.ts";
import { hasPrivate, isAuthority, NO_END } from "./certificate.ts";
import { endOfDays, secondAt, select } from "./selection.ts";
import type { certificateCounts, countQuery } from "./v1.contract.ts";

/** Months that the timeline shows, the present one first. */
const MONTHS = 24;

/** How many certificates there are, and when they end. */
export async function countV1(
  ctx: RequestContext,
  query: z.output<typeof countQuery>,
): Promise<Answer<string>> {
  const now = ctx.clock.now();
  const name = `certificate counts ${query.is_ca} ${query.has_private}`;
  return await answerOfTheSecond(
    ctx,
    now,
    name,
    async () => JSON.stringify(await count(ctx, query, now)),
  );
}

async function count(
  ctx: RequestContext,
  query: z.output<typeof countQuery>,
  now: number,
): Promise<z.output<typeof certificateCounts>> {
  const { kinds } = select(query, now);
  const { storage: { reader }, principal: { org_id } } = ctx;
  const months = monthsFrom(now);
  const bands = [now, ...[7, 30, 90].map((days) => endOfDays(days, now))].map(secondAt);
  const starts = months.map((month) => `${month}-01T00:00:00Z`);
  const ends = [...new Set([...bands, ...starts, NO_END])];
  const total = await countKinds(reader, org_id, kinds);
  const before = await countByEnd(reader, org_id, kinds, ends);
  const [invalid = 0] = await countInvalid(reader, org_id, kinds, [NO_END]);
  const upTo = new Map(ends.map((end, i) => [end, before[i] ?? 0]));
  const between = (from: string | undefined, to: string | undefined) =>
    Math.max(0, (upTo.get(to ?? "") ?? 0) - (upTo.get(from ?? "") ?? 0));
  const [ended, week, month, quarter] = bands;
  const ofKinds = (fits: (kind: number) => boolean) =>
    countKinds(reader, org_id, kinds.filter(fits));
  return {
    total,
    with_private: await ofKinds(hasPrivate),
    authorities: await ofKinds(isAuthority),
    bands: {
      expired: between(undefined, ended),
      within_7_days: between(ended, week),
      within_30_days: between(week, month),
      within_90_days: between(month, quarter),
      later: between(quarter, NO_END),
      never: Math.max(0, total - (upTo.get(NO_END) ?? 0) - invalid),
      invalid,
    },
    timeline: {
      before: between(undefined, starts[0]),
      months: months.slice(0, MONTHS).map((name, i) => ({
        month: name,
        certificates: between(starts[i], starts[i + 1]),
      })),
      after: between(starts[MONTHS], NO_END),
    },
  };
}

/** The months of the timeline and the one behind them, as `2026-01`; UTC. */
function monthsFrom(now: number): string[] {
  const today = new Date(now);
  return Array.from(
    { length: MONTHS + 1 },
    (_, i) =>
      new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + i)).toISOString().slice(0, 7),
  );
}
