import { toTimestamp } from "../../kernel/clock.ts";
import { listMyKeys } from "./keys.contract.ts";
import * as keys from "./keys.service.ts";
import { ALL, type MyContext, ownerOf, theirsOf } from "./own.ts";
import { countOwn } from "./own-counts.store.ts";
import { listMyRequests } from "./requests.contract.ts";
import * as requests from "./requests.service.ts";

/** How many of the caller's keys work, and how many requests wait; at most a hundred of each. */
export async function ownCounts(ctx: MyContext): Promise<{ keys: number; requests: number }> {
  // Not all that stands under their id is theirs: then one by one.
  if (await theirsOf(ctx) !== ALL) return await countedByLists(ctx);
  const now = toTimestamp(ctx.clock.now());
  const row = await countOwn(ctx.storage.reader, { ...ownerOf(ctx), now });
  return { keys: Number(row?.keys ?? 0), requests: Number(row?.requests ?? 0) };
}

async function countedByLists(ctx: MyContext) {
  const live = listMyKeys.query?.parse({ limit: "100", state: "active" });
  const waiting = listMyRequests.query?.parse({ limit: "100", state: "pending" });
  const [works, waits] = await Promise.all([
    keys.list(ctx, live ?? {}),
    requests.list(ctx, waiting ?? {}),
  ]);
  return { keys: works.data.length, requests: waits.data.length };
}
