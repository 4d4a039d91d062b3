import { toTimestamp } from "../../../kernel/clock.ts";
import { plansJudge } from "../../plans/denied-by-plans.ts";
import { listMyKeysQuery } from "./keys.contract.ts";
import * as keys from "./keys.service.ts";
import { ALL, type MyContext, ownerOf, theirsOf } from "./own.ts";
import { countActiveKeys, countPendingRequests, MOST_COUNTED } from "./own-counts.store.ts";
import { listMyRequestsQuery } from "./requests.contract.ts";
import * as requests from "./requests.service.ts";

/** The counts of a developer's own things, at most a hundred of each. */
export interface OwnCounts {
  /** Keys that are valid for something. */
  readonly keys: number;
  /** Active keys of which each call is denied, since their plans grant nothing. */
  readonly denied: number;
  /** Requests that wait for a decision. */
  readonly requests: number;
}

/** How many of the caller's keys work, how many are denied, and how many requests wait. */
export async function ownCounts(ctx: MyContext): Promise<OwnCounts> {
  // Not all that is under their id is theirs: then one by one.
  if (await theirsOf(ctx) !== ALL) return await countedByLists(ctx);
  const { storage: { reader }, clock } = ctx;
  const owner = ownerOf(ctx);
  const [active, pending] = await Promise.all([
    countActiveKeys(reader, { ...owner, now: toTimestamp(clock.now()) }),
    countPendingRequests(reader, { ...owner }),
  ]);
  const denied = await plansJudge(ctx, active);
  const working = active.filter(({ plans }) => denied(plans) === null)
    .reduce((sum, { keys }) => sum + Number(keys), 0);
  const all = active.reduce((sum, { keys }) => sum + Number(keys), 0);
  return {
    keys: Math.min(working, MOST_COUNTED),
    denied: Math.min(all - working, MOST_COUNTED),
    requests: Number(pending?.requests ?? 0),
  };
}

async function countedByLists(ctx: MyContext) {
  const live = listMyKeysQuery.parse({ limit: "100", state: "active" });
  const waiting = listMyRequestsQuery.parse({ limit: "100", state: "pending" });
  const [active, waits] = await Promise.all([
    keys.list(ctx, live),
    requests.list(ctx, waiting),
  ]);
  const working = active.data.filter(({ denied }) => denied === null);
  const denied = active.data.length - working.length;
  return { keys: working.length, denied, requests: waits.data.length };
}
