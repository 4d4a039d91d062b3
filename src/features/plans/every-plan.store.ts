import { TimeSlices } from "../../kernel/time-slices.ts";
import type { Connection } from "../../storage/storage.ts";
import { type Plan, scopeOf } from "./plan.ts";
import { plansAfter, type PlanView, readPlan } from "./plans.store.ts";

/** Plans read at once. */
const CHUNK = 64;

/** Every plan of the organisation that is not gone, newest first, a chunk in memory at a time. */
export async function* everyPlan(
  db: Connection,
  org_id: string,
): AsyncGenerator<{ row: PlanView; plan: Plan }, void, void> {
  let last: PlanView | undefined;
  const slices = new TimeSlices();
  do {
    const rows = await plansAfter(db, org_id, last, CHUNK);
    for (const row of rows) yield { row, plan: readPlan(row) };
    last = rows.length < CHUNK ? undefined : rows.at(-1);
    // The engine may have answered at once: the calls that arrived meanwhile come first.
    if (last) await slices.next();
  } while (last);
}

/** The value in place of an API if any will do. */
export const ANY_API = "-";

/**
 * The ids of the plans that open an API, active or not; undefined: any plan does, since no API is
 * named. A plan without `access_rights` opens all, one that is for limits alone none.
 */
export async function plansOpening(
  db: Connection,
  org_id: string,
  api_id: string,
): Promise<ReadonlySet<string> | undefined> {
  if (api_id === ANY_API || api_id === "") return undefined;
  const names = new Set<string>();
  for await (const { plan } of everyPlan(db, org_id)) {
    if (!scopeOf(plan).access) continue;
    const { _id, id, access_rights } = plan;
    const apis = Object.keys(access_rights);
    if (apis.length === 0 || apis.includes(api_id)) names.add(_id).add(id);
  }
  return names;
}
