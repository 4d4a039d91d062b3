import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import type { countDeliveries as contract } from "./deliveries.contract.ts";
import { attemptsOf, deliveriesBelow } from "./deliveries.store.ts";

/** So many dead letters are looked at, at the most. */
const COUNTED = 1000;

/** How many messages were given up, by target; of the newest of each target what the last try said. */
export async function countDeliveries(
  { storage: { reader }, principal: { org_id } }: RequestContext,
): Promise<z.output<typeof contract.response>> {
  const dead = await deliveriesBelow(
    reader,
    { org_id, object_id: "", state: "dead", lowest: "" },
    "~",
    COUNTED,
  );
  const byTarget = Map.groupBy(dead, ({ target_id }) => target_id);
  const dead_by_target = [];
  for (const [target_id, [newest, ...others]] of byTarget) {
    if (!newest) continue;
    const [last] = await attemptsOf(reader, org_id, newest.id, 1);
    const { status = 0, error = "" } = last ?? {};
    dead_by_target.push({ target_id, dead: others.length + 1, status: Number(status), error });
    // One cause can be told, and a few; nobody reads more.
    if (dead_by_target.length === TARGETS) break;
  }
  return { dead: dead.length, dead_by_target };
}

const TARGETS = 20;
