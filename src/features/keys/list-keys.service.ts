import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { walk } from "../../kernel/walk.ts";
import { anyState, type KeyRow, keySources, type ListWalk } from "../credentials/key-list.store.ts";
import { everyIdOf } from "../plans/plan-ids.store.ts";
import { stateOf } from "./key.ts";
import type { listQuery } from "./keys.contract.ts";
import { type Key, plansOf, showKey } from "./show-key.ts";

/** What a list is narrowed by. */
export type ListQuery = z.output<typeof listQuery>;

/** A page of keys. */
export interface KeyPage {
  data: Key[];
  next_cursor: string | null;
}

/**
 * A page of keys after `cursor`, newest first, or by their end where they are asked for as expired. Walks one index;
 * filters that no index serves together (a developer and a plan, what has expired within a plan) leave out rows.
 * Throws `invalid_input` for a cursor of another list.
 */
export async function listKeys(ctx: RequestContext, query: ListQuery): Promise<KeyPage> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const now = toTimestamp(ctx.clock.now());
  const plans = query.plan === undefined
    ? undefined
    : await everyIdOf(reader, org_id, [query.plan]);
  const indexWalk = walkOf(query, plans, now);
  const { rows, next_cursor } = await walk({
    order: indexWalk.by === "end" ? "end" : "newest",
    first: { sort: "~", id: "" },
    sources: keySources(reader, org_id, indexWalk),
    wanted: (row) => matches(row, query, plans, now),
  }, query);
  return { data: rows.map((row) => showKey(row, now)), next_cursor };
}

/** The narrowest index: a plan's or developer's own, else that of the state. */
function walkOf(
  { developer, state }: ListQuery,
  plans: readonly string[] | undefined,
  now: string,
): ListWalk {
  const states = state === undefined
    ? anyState
    : state === "expired"
    ? (["active", "suspended"] as const)
    : [state];
  if (developer !== undefined) return { by: "developer", developer_id: developer, states };
  if (plans !== undefined) return { by: "plan", plan_ids: plans, states };
  return state === "expired" ? { by: "end", now } : { by: "all", states };
}

function matches(
  row: KeyRow,
  { state }: ListQuery,
  plans: readonly string[] | undefined,
  now: string,
): boolean {
  return (state === undefined || stateOf(row, now) === state) &&
    (plans === undefined || plansOf(row).some((plan) => plans.includes(plan)));
}
