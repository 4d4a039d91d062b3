import type { RequestContext } from "../../calls/context.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { TimeSlices } from "../../kernel/time-slices.ts";
import { planIdsOf } from "../plans/plan-ids.store.ts";
import { keysBehind } from "./meter.store.ts";

/** Keys read at once. */
const AT_ONCE = 500;

/** How many keys have these plans, by `_id`, and how many of them were never seen. */
interface KeysOfPlans {
  plans: string[];
  keys: number;
  never: number;
}

/** The active keys of an organisation, counted. */
export interface KeyCensus {
  sets: KeysOfPlans[];
  /** Developers of keys that were never seen, and those of them whose address is known. */
  owners: number;
  mailable: number;
}

/** Counts all active keys that have a plan. Between two parts calls that wait have their turn. */
export async function keyCensus(ctx: RequestContext): Promise<KeyCensus> {
  const { storage: { reader }, principal: { org_id }, clock } = ctx;
  const now = toTimestamp(clock.now());
  const counts = new Map<string, { keys: number; never: number }>();
  const owners = new Set<string>();
  const mailable = new Set<string>();
  const slices = new TimeSlices();
  for (let key_id: string | undefined = ""; key_id !== undefined;) {
    const rows: Awaited<ReturnType<typeof keysBehind>> = await keysBehind(
      reader,
      { org_id, key_id, now },
      AT_ONCE,
    );
    for (const row of rows) {
      if (row.state !== "active") continue;
      const count = counts.get(row.plans) ?? { keys: 0, never: 0 };
      counts.set(row.plans, count);
      count.keys++;
      if (Number(row.never) !== 1) continue;
      count.never++;
      owners.add(row.developer_id);
      if (Number(row.mailable) === 1) mailable.add(row.developer_id);
    }
    key_id = rows.length < AT_ONCE ? undefined : rows.at(-1)?.key_id;
    await slices.next();
  }
  // as: a key's plans are stored as an array of ids.
  const named = [...counts].map(([plans, count]) => ({
    ...count,
    plans: JSON.parse(plans) as string[],
  }));
  const ids = await planIdsOf(reader, org_id, [...new Set(named.flatMap(({ plans }) => plans))]);
  const sets = named.filter(({ plans }) => plans.length > 0).map(({ plans, ...count }) => ({
    ...count,
    plans: [...new Set(plans.map((one) => ids.get(one)?._id ?? one))],
  }));
  return { sets, owners: owners.size, mailable: mailable.size };
}
