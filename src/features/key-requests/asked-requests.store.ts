import { INSTANT_LEVELS, listCounter } from "../../storage/list-counts.ts";
import type { Connection } from "../../storage/storage.ts";
import { listOf, states } from "./key-request.ts";

const counter = listCounter(states.flatMap((state) => [listOf(state, 0), listOf(state, 1)]));

/**
 * How many key requests are dated from one minute until just before another, in whichever state.
 * Two reads of counters.
 */
export async function countAsked(
  db: Connection,
  org_id: string,
  from: string,
  until: string,
): Promise<number> {
  const [all = 0, before = 0] = await Promise.all(
    [until, from].map((at) => counter.countBelow(db, org_id, at, INSTANT_LEVELS)),
  );
  return all - before;
}
