import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { cursorCover } from "../../calls/cursor-cover.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { walk } from "../../kernel/walk.ts";
import { beforeAllKeys, type KeyOrder, orderedKeys } from "./key-orders.store.ts";
import type { Connection } from "../../storage/storage.ts";
import {
  anyState,
  type KeyRow,
  keySources,
  type ListedKey,
  type ListWalk,
} from "./key-list.store.ts";
import { labelsOf } from "./key-labels.ts";
import { indexWaiting } from "../developers/search-developers.ts";
import { type Coverage, coverageOfCaller, isSeenBy } from "../plans/coverage.ts";
import { everyIdOf } from "../plans/plan-ids.store.ts";
import { sentEnd, stateOf } from "./key.ts";
import type { listQuery } from "./keys.contract.ts";
import { searchKeys } from "./search-keys.ts";
import { type Key, plansOf, showKeys } from "./show-key.ts";

/** What a list is narrowed by. */
export type ListQuery = z.output<typeof listQuery>;

/** A page of keys. */
export interface KeyPage {
  data: Key[];
  next_cursor: string | null;
  /** There where the search does not know every developer yet. */
  incomplete?: true;
}

/**
 * A page of keys after `cursor`, newest first, or by their end where they are asked for as expired;
 * with a search in the order in which it finds them. Walks one index; filters that no index serves
 * together (a developer and a plan, what has expired within a plan) leave out rows, and so does the
 * caller's scope. Throws `invalid_input` for a cursor of another list.
 */
export async function listKeys(ctx: RequestContext, query: ListQuery): Promise<KeyPage> {
  const now = toTimestamp(ctx.clock.now());
  const { rows, next_cursor, isComplete } = await findKeyRows(ctx, query, now);
  const data = await showKeys(ctx, rows, now);
  return { data, next_cursor, ...isComplete ? {} : { incomplete: true as const } };
}

/** Rows of a list that are not shown yet. */
interface FoundKeys {
  rows: KeyRow[];
  next_cursor: string | null;
  /** False where the search does not know every developer yet. */
  isComplete: boolean;
}

/** The rows of such a page, of which `fits` may leave out some more. */
export async function findKeyRows(
  ctx: RequestContext,
  sent: ListQuery,
  now: string,
  fits: (row: KeyRow) => boolean = () => true,
): Promise<FoundKeys> {
  const query = { ...sent, unused_since: sentEnd(sent.unused_since) ?? undefined };
  requireTogether(query);
  const { storage: { reader }, principal } = ctx;
  const { org_id } = principal;
  const plans = query.plan === undefined
    ? undefined
    : await everyIdOf(reader, org_id, [query.plan]);
  const coverage = await coverageOfCaller(reader, principal);
  const cover = cursorCover(ctx);
  const asked = walkOf(query, plans, now);
  const order = orderOf(query, asked);
  const indexWalk = order ? asked : within(asked, coverage);
  const wanted = (row: KeyRow | ListedKey) =>
    matches(row, query, plans, now) && isSeenBy(coverage, row) && fits(row);
  const found = query.q === undefined ? undefined : searchKeys(ctx, query.q);
  if (found) {
    const isComplete = await indexWaiting(ctx);
    const { rows, next_cursor } = await walk({
      order: "found",
      first: { sort: "0", id: "" },
      sources: [found],
      wanted: (row) => row.isFound && wanted(row),
      cover,
    }, query);
    return { rows, next_cursor, isComplete };
  }
  const { rows, next_cursor } = await walk({
    ...order ? orderedList(reader, org_id, indexWalk, order) : {
      order: hasOwnOrder(indexWalk.by) ? indexWalk.by : "newest",
      // Whatever was issued later is not asked for.
      first: { sort: sinceOf(query, indexWalk) ?? "~", id: "" },
      sources: keySources(reader, org_id, indexWalk),
    },
    wanted,
    cover,
  }, query);
  return { rows, next_cursor, isComplete: true };
}

/** Throws `invalid_input` for a search by schedule: what is found has no step. */
function requireTogether({ q, schedule }: ListQuery): void {
  if (q === undefined || schedule === undefined) return;
  const message = "schedule: goes without q";
  throw new Failure("invalid_input", { message, details: [message] });
}

/** The order asked for; undefined: the list's own. Throws `invalid_input`: no index has it. */
function orderOf({ sort, direction, q }: ListQuery, { by }: ListWalk): KeyOrder | undefined {
  if (sort === undefined) return undefined;
  if (by === "all" && q === undefined) return { sort, descending: direction === "desc" };
  const message = "sort: goes with no filter but a state other than expired";
  throw new Failure("invalid_input", { message, details: [message] });
}

function orderedList(db: Connection, org_id: string, list: ListWalk, order: KeyOrder) {
  const { sort, descending } = order;
  return {
    order: `keys ${sort} ${descending ? "desc" : "asc"}`,
    first: beforeAllKeys(order),
    ascending: !descending,
    sources: orderedKeys(db, org_id, list.by === "all" ? list.states : [], order),
  };
}

/** The narrowest index: a developer's, label's or plan's own, else that of the state. */
function walkOf(
  { developer, state, environment, tag, leaked, schedule }: ListQuery,
  plans: readonly string[] | undefined,
  now: string,
): ListWalk {
  if (schedule !== undefined) {
    return { by: "schedule", steps: schedule === "warned" ? WARNED : [schedule] };
  }
  if (leaked === true) return { by: "leak" };
  const states = state === undefined
    ? anyState
    : state === "expired"
    ? (["active", "suspended"] as const)
    : [state];
  if (developer !== undefined) return { by: "developer", developer_id: developer, states };
  if (tag !== undefined) return { by: "label", kind: "tag", label: tag };
  if (environment !== undefined) {
    return { by: "label", kind: "environment", label: environment };
  }
  if (plans !== undefined) return { by: "plan", plan_ids: plans, states };
  return state === "expired" ? { by: "end", now } : { by: "all", states };
}

const WARNED = ["warned", "warned_again"] as const;

const hasOwnOrder = (by: ListWalk["by"]) => by === "end" || by === "leak" || by === "schedule";

/** The instant of issue before which the keys lie that nobody has used since; undefined: any. */
function sinceOf({ unused_since }: ListQuery, { by }: ListWalk): string | undefined {
  return hasOwnOrder(by) ? undefined : unused_since;
}

/** So many ids of plans are walked side by side for a scope; beyond it all keys are looked at. */
const MOST_MERGED = 20;

/** The walk of somebody with a scope: by its plans instead of by all keys, where they are few. */
function within(asked: ListWalk, coverage: Coverage | undefined): ListWalk {
  if (!coverage || asked.by !== "all" || coverage.plans.size > MOST_MERGED) return asked;
  return { by: "plan", plan_ids: [...coverage.plans], states: asked.states };
}

function matches(
  row: KeyRow & Pick<ListedKey, "step" | "idle_since"> & { sort?: string },
  { state, developer, environment, tag, leaked, unused_since }: ListQuery,
  plans: readonly string[] | undefined,
  now: string,
): boolean {
  return isStillAt(row) && (unused_since === undefined || isUnusedSince(row, unused_since)) &&
    (leaked === undefined || (row.leaked_at !== null) === leaked) &&
    (state === undefined || stateOf(row, now) === state) &&
    (developer === undefined || row.developer_id === developer) &&
    (environment === undefined || row.environment === environment) &&
    (tag === undefined || labelsOf(row).tags.includes(tag)) &&
    (plans === undefined || plansOf(row).some((plan) => plans.includes(plan)));
}

/** Whether a key was issued before, and not used since. */
function isUnusedSince({ issued_at, last_used_at }: KeyRow, since: string): boolean {
  return issued_at < since && (last_used_at === null || last_used_at < since);
}

/** Whether what a schedule has done still stands: nobody used or changed the key since. */
function isStillAt(row: KeyRow & { step?: string; idle_since?: string; sort?: string }): boolean {
  const { step, idle_since = "", sort, state, state_changed_at, last_used_at } = row;
  if (step === undefined) return true;
  if (step === "suspended" || step === "revoked") {
    return state === step && state_changed_at === sort;
  }
  return state === "active" && (last_used_at ?? "") <= idle_since &&
    (state_changed_at ?? "") <= idle_since;
}
