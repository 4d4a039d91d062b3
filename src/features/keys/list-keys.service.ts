import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { cursorCover } from "../../calls/cursor-cover.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import type { keyFilters } from "../../contract/list-filters.ts";
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
import type { StoredKeyState } from "./key-kinds.ts";
import { labelsOf } from "./key-labels.ts";
import { indexWaiting } from "../developers/search-developers.ts";
import { type Coverage, coverageOfCaller, isSeenBy } from "../plans/coverage.ts";
import { everyIdOf } from "../plans/plan-ids.store.ts";
import { sentEnd, stateOf } from "./key.ts";
import type { listQuery } from "./keys.contract.ts";
import { searchKeys } from "./search-keys.ts";
import { type Key, plansOf, serializeKeys } from "./show-key.ts";

/** The filters of a list. */
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
  const data = await serializeKeys(ctx, rows, now);
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
  const plans = query.plan === undefined ? [] : await everyIdOf(reader, org_id, [query.plan]);
  const at = { plans, states: statesOf(query), now };
  const coverage = await coverageOfCaller(reader, principal);
  const cover = cursorCover(ctx);
  const narrowing = rulesOf(query);
  const asked = walkOf(narrowing, at);
  const order = orderOf(query, asked);
  const indexWalk = order ? asked : within(asked, coverage);
  const wanted = (row: Row) => matches(row, narrowing, at) && isSeenBy(coverage, row) && fits(row);
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

/** The context of a filter. */
interface At {
  /** Every id of the plan that is asked for. */
  plans: readonly string[];
  /** The stored states that the state asked for can be of. */
  states: readonly StoredKeyState[];
  now: string;
}

/** A row of a list by a schedule, or of another. */
type Row = KeyRow & Partial<Pick<ListedKey, "step" | "idle_since" | "sort">>;

/** How one filter is served. */
interface Rule<Value> {
  /** The index that has what it leaves; absent: none has, or not of this value. */
  walk?(value: Value, at: At): ListWalk | undefined;
  /** Whether it leaves a row; absent: whatever the walk gives. */
  leaves?(row: Row, value: Value, at: At): boolean;
}

/** Every filter. A list walks the index of the first that is asked for and has one. */
const rules: { [Name in keyof typeof keyFilters]: Rule<NonNullable<ListQuery[Name]>> } = {
  schedule: { walk: (step) => ({ by: "schedule", steps: step === "warned" ? WARNED : [step] }) },
  leaked: {
    walk: (isLeaked) => isLeaked ? { by: "leak" } : undefined,
    leaves: (row, isLeaked) => (row.leaked_at !== null) === isLeaked,
  },
  developer: {
    walk: (developer_id, { states }) => ({ by: "developer", developer_id, states }),
    leaves: (row, developer) => row.developer_id === developer,
  },
  tag: {
    walk: (label) => ({ by: "label", kind: "tag", label }),
    leaves: (row, tag) => labelsOf(row).tags.includes(tag),
  },
  environment: {
    walk: (label) => ({ by: "label", kind: "environment", label }),
    leaves: (row, environment) => row.environment === environment,
  },
  plan: {
    walk: (_, { plans: plan_ids, states }) => ({ by: "plan", plan_ids, states }),
    leaves: (row, _, { plans }) => plansOf(row).some((plan) => plans.includes(plan)),
  },
  state: {
    walk: (state, { now }) => state === "expired" ? { by: "end", now } : undefined,
    leaves: (row, state, { now }) => stateOf(row, now) === state,
  },
  unused_since: { leaves: isUnusedSince },
  // The search itself finds its rows.
  q: {},
};

const WARNED = ["warned", "warned_again"] as const;

type Narrowing = readonly { rule: Rule<never>; value: never }[];

/** The rules of what a query asks for, each with its value. */
function rulesOf(query: ListQuery): Narrowing {
  return Object.entries(rules).flatMap(([name, rule]) => {
    // as: each name has its value and its rule.
    const value = query[name as keyof typeof rules] as never;
    return value === undefined ? [] : [{ rule: rule as Rule<never>, value }];
  });
}

/** The narrowest index, else that of the states. */
function walkOf(narrowing: Narrowing, at: At): ListWalk {
  for (const { rule, value } of narrowing) {
    const walk = rule.walk?.(value, at);
    if (walk) return walk;
  }
  return { by: "all", states: at.states };
}

function statesOf({ state }: ListQuery): readonly StoredKeyState[] {
  if (state === undefined) return anyState;
  return state === "expired" ? ["active", "suspended"] : [state];
}

const hasOwnOrder = (by: ListWalk["by"]) => by === "end" || by === "leak" || by === "schedule";

/** The instant of issue before which the keys lie that no one has used since; undefined: any. */
function sinceOf({ unused_since }: ListQuery, { by }: ListWalk): string | undefined {
  return hasOwnOrder(by) ? undefined : unused_since;
}

/** So many ids of plans are walked side by side for a scope; beyond it all keys are looked at. */
const MOST_MERGED = 20;

/** The walk of a person with a scope: by its plans instead of by all keys, where they are few. */
function within(asked: ListWalk, coverage: Coverage | undefined): ListWalk {
  if (!coverage || asked.by !== "all" || coverage.plans.size > MOST_MERGED) return asked;
  return { by: "plan", plan_ids: [...coverage.plans], states: asked.states };
}

function matches(row: Row, narrowing: Narrowing, at: At): boolean {
  return isStillAt(row) &&
    narrowing.every(({ rule, value }) => rule.leaves?.(row, value, at) ?? true);
}

/** Whether a key was issued before, and not used since. */
function isUnusedSince({ issued_at, last_used_at }: Row, since: string): boolean {
  return issued_at < since && (last_used_at === null || last_used_at < since);
}

/** Whether what a schedule has done still stands: no one used or changed the key since. */
function isStillAt(row: Row): boolean {
  const { step, idle_since = "", sort, state, state_changed_at, last_used_at } = row;
  if (step === undefined) return true;
  if (step === "suspended" || step === "revoked") {
    return state === step && state_changed_at === sort;
  }
  return state === "active" && (last_used_at ?? "") <= idle_since &&
    (state_changed_at ?? "") <= idle_since;
}
