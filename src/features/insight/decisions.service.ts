import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import {
  LOOKED_AT,
  newestApprovals,
  newestDeclines,
} from "../key-requests/decision-times.store.ts";
import { medianOf, secondsOf } from "../key-requests/decision-times.ts";
import type { getDecisions } from "./insight.contract.ts";

const DAY_MS = 86_400_000;
const DAYS = 30;

/** How people decided within the last 30 days. Two reads of a limited length. */
export async function decisions(
  { storage: { reader }, clock, principal: { org_id } }: RequestContext,
): Promise<z.output<typeof getDecisions.response>> {
  const since = toTimestamp(clock.now() - DAYS * DAY_MS);
  const [approvals, declines] = await Promise.all([
    newestApprovals(reader, { org_id, since }),
    newestDeclines(reader, { org_id, since }),
  ]);
  const [approved, declined] = [approvals, declines].map((rows) =>
    rows.flatMap((row) => {
      const seconds = secondsOf(row);
      return seconds === undefined ? [] : [{ ...row, seconds }];
    })
  );
  const all = [...approved ?? [], ...declined ?? []];
  const promised = all.filter(({ decide_by }) => decide_by !== null);
  return {
    since,
    approved: approved?.length ?? 0,
    declined: declined?.length ?? 0,
    more: [approvals, declines].some(({ length }) => length === LOOKED_AT),
    median_seconds: medianOf(all.map(({ seconds }) => seconds)),
    promised: promised.length,
    in_time:
      promised.filter(({ at, decide_by }) => Date.parse(at ?? "") <= Date.parse(decide_by ?? ""))
        .length,
  };
}
