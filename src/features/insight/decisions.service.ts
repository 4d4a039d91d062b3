import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { countAsked } from "../key-requests/asked-requests.store.ts";
import {
  type DecisionRow,
  LOOKED_AT,
  newestApprovals,
  newestDeclines,
  NO_END,
} from "../key-requests/decision-times.store.ts";
import { LEAST, medianOf, secondsOf } from "../key-requests/decision-times.ts";
import type { getDecisions } from "./insight.contract.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const DAYS = 30;
const WEEK = 7;

/**
 * How people decided within the last 30 days and the 30 before, and how much was asked in the last
 * seven and the seven before. A number of reads that is the same however many requests there are.
 */
export async function decisions(
  ctx: RequestContext,
): Promise<z.output<typeof getDecisions.response>> {
  const { storage: { reader }, clock, principal: { org_id } } = ctx;
  const ago = (days: number) => toTimestamp(clock.now() - days * DAY_MS);
  const since = ago(DAYS);
  const [now, before, week, earlier] = await Promise.all([
    decidedWithin(ctx, since, NO_END),
    decidedWithin(ctx, ago(2 * DAYS), since),
    countAsked(reader, org_id, ago(WEEK), toTimestamp(clock.now() + MINUTE_MS)),
    countAsked(reader, org_id, ago(2 * WEEK), ago(WEEK)),
  ]);
  return { since, ...now, before, asked: { week, before: earlier } };
}

async function decidedWithin(
  { storage: { reader }, principal: { org_id } }: RequestContext,
  since: string,
  until: string,
) {
  const span = { org_id, since, until };
  const [approvals, declines] = await Promise.all([
    newestApprovals(reader, span),
    newestDeclines(reader, span),
  ]);
  const [approved, declined] = [timed(approvals), timed(declines)];
  const all = [...approved, ...declined];
  // Of the time in which all of both kinds were looked at.
  const from = [approvals, declines].map(oldestOfAll).reduce((a, b) => a > b ? a : b);
  const isWhole = ({ at }: DecisionRow) => (at ?? "") >= from;
  const [yes, no] = [approved.filter(isWhole).length, declined.filter(isWhole).length];
  return {
    approved: approved.length,
    declined: declined.length,
    more: [approvals, declines].some(({ length }) => length === LOOKED_AT),
    median_seconds: medianOf(all.map(({ seconds }) => seconds)),
    approved_share: yes + no < LEAST ? null : yes / (yes + no),
  };
}

/** Those that people decided, and how long each took. */
function timed(rows: readonly DecisionRow[]) {
  return rows.flatMap((row) => {
    const seconds = secondsOf(row);
    return seconds === undefined ? [] : [{ ...row, seconds }];
  });
}

/** Since when none of a kind is missing; "" where all were looked at. */
function oldestOfAll(rows: readonly DecisionRow[]): string {
  return rows.length < LOOKED_AT ? "" : rows.at(-1)?.at ?? "";
}
