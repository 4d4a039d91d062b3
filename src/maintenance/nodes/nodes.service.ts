import type { z } from "zod";
import type { ServiceContext } from "../../calls/context.ts";
import { findFirstOrganisation } from "../../features/people/organisations.store.ts";
import type { WithVerifier } from "../../features/verification/verifier.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { clockOf } from "../../storage/store-clock.ts";
import type { serverInfo } from "../server-info/server-info.contract.ts";
import { FORGOTTEN_MS, stateAfter } from "./node-state.ts";
import { listNodes } from "./nodes.store.ts";
import type { WithNode } from "./this-node.ts";

type NodeList = z.output<typeof serverInfo>["nodes"];

/**
 * The process that answers, out of memory, and those that left their signs in the store; none for
 * another organisation than the first, whose operator runs them.
 */
export async function nodesOf(
  ctx: ServiceContext & WithNode & WithVerifier,
  org_id: string,
  version: string,
): Promise<NodeList> {
  const { storage: { reader }, node, verifier, clock, storeClock } = ctx;
  if ((await findFirstOrganisation(reader))?.id !== org_id) return [];
  const now = await clockOf(reader) ?? clock.now();
  const here: NodeList[number] = {
    name: node.name,
    version,
    started: toTimestamp(now - node.upMs),
    last_seen: toTimestamp(now),
    state: "current",
    stale_ms: staleOf(verifier.stalenessMs()),
    ahead_ms: storeClock.aheadMs() ?? null,
  };
  const others = (await listNodes(reader, toTimestamp(now - FORGOTTEN_MS)))
    .filter(({ id }) => id !== node.id)
    .map(({ name, version, started_at, seen_at, stale_ms, ahead_ms }): NodeList[number] => ({
      name,
      version,
      started: started_at,
      last_seen: seen_at,
      state: stateAfter(now - Date.parse(seen_at)),
      stale_ms: stale_ms < 0 ? null : stale_ms,
      ahead_ms,
    }));
  return [here, ...others];
}

function staleOf(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.round(ms);
}
