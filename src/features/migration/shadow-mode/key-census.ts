import type { RequestContext } from "../../../calls/context.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { TimeSlices } from "../../../kernel/time-slices.ts";
import type { Storage } from "../../../storage/storage.ts";
import { storeItself } from "../../../storage/storage-within.ts";
import { planIdsOf } from "../../plans/plan-ids.store.ts";
import { keysBehind } from "./migration-report.store.ts";

/** Keys read at once. */
const AT_ONCE = 500;
/** A count that took no longer is made for each call. */
const SHORT_MS = 200;
/**
 * A count that took long is repeated after this many times as long: counting takes a tenth of the
 * time.
 */
const RECOUNTED = 10;

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

/** The context of counting. */
export type CensusContext =
  & Pick<RequestContext, "storage" | "clock">
  & { readonly principal: Pick<RequestContext["principal"], "org_id"> };

interface Kept {
  readonly census: Promise<KeyCensus>;
  until: number;
}

/** By organisation, what counting took long for, or is under way. */
const kept = new WeakMap<Storage, Map<string, Kept>>();

/**
 * The active keys that have a plan, counted: as they are, or where counting takes longer than 200
 * ms, as of ten times that ago at the most. Calls at once wait for the same count. `elapsed`:
 * milliseconds of a clock that no one sets.
 */
export function keyCensus(
  ctx: CensusContext,
  elapsed = () => performance.now(),
): Promise<KeyCensus> {
  const { principal, clock } = ctx;
  const { org_id } = principal;
  // No one's deadline ends a count that others wait for.
  const storage = storeItself(ctx.storage);
  const all = kept.get(storage) ?? new Map<string, Kept>();
  kept.set(storage, all);
  const began = elapsed();
  const known = all.get(org_id);
  if (known && began < known.until) return known.census;
  const one: Kept = { census: countKeys({ storage, clock, principal }), until: Infinity };
  all.set(org_id, one);
  one.census.then(() => {
    const now = elapsed();
    if (now - began > SHORT_MS) one.until = now + (now - began) * RECOUNTED;
    else all.delete(org_id);
  }, () => all.delete(org_id));
  return one.census;
}

/** Between two parts calls that wait have their turn. */
async function countKeys(ctx: CensusContext): Promise<KeyCensus> {
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
