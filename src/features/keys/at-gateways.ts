import type { RequestContext } from "../../calls/context.ts";
import {
  checksWithKeydesk,
  type GatewayProblem,
  isClosing,
  isOpenThere,
  LATE_MS,
  mayOpenUntil,
} from "../../contract/gateway-states.ts";
import { troubledAtGateways } from "../../changes/provisioned.store.ts";
import { hasGateways } from "../../changes/provisioning.store.ts";
import { rowsOf } from "../../storage/touched-rows.ts";
import type { Connection } from "../../storage/storage.ts";
import { planIdsOf } from "../plans/plan-ids.store.ts";

/** A gateway at which a key is not as it should be. */
export interface AtGateway {
  readonly gateway_id: string;
  readonly gateway: string;
  readonly state: GatewayProblem;
  readonly since: string;
  /** Whether it opens there meanwhile, as it was brought before. */
  readonly valid: boolean;
  /** Of one that was ended there: until when it may open; null: no one can tell. */
  readonly may_be_valid_until: string | null;
}

/** The problems of a key at gateways, and at how many gateways it is or should be. */
export interface AtGateways {
  readonly problems: readonly AtGateway[];
  readonly gateways: number;
}

type Context = Pick<RequestContext, "storage" | "readCache" | "clock">;

/** Whether an organisation has gateways that hold keys; known from memory until that changes. */
export function knowsGateways(
  { storage: { reader, changes }, readCache }: Pick<Context, "storage" | "readCache">,
  org_id: string,
): boolean | Promise<boolean> {
  const kept = readCache.get(`${org_id} any gateway`, changes, async () => ({
    answer: { any: await hasGateways(reader, { org_id }), length: 1 },
    parts: rowsOf("gateways", org_id),
  }));
  return kept instanceof Promise ? kept.then(({ any }) => any) : kept.any;
}

/**
 * The present problems of keys at gateways; keys without problems are left out. Makes no query if
 * there is no gateway.
 */
export async function keysAtGateways(
  ctx: Context,
  org_id: string,
  keys: readonly KeyAt[],
): Promise<ReadonlyMap<string, AtGateways>> {
  if (keys.length === 0 || !await knowsGateways(ctx, org_id)) return new Map();
  return await findProblems(ctx.storage.reader, org_id, keys, ctx.clock.now());
}

/** The data of a key that determine its gateways: `plans` as its row has them. */
interface KeyAt {
  readonly key_id: string;
  readonly plans: string;
}

/**
 * Finds the problems at `now`, in milliseconds since 1970. One statement for a page, and another
 * one if a gateway has keys of some plans alone.
 */
export async function findProblems(
  db: Connection,
  org_id: string,
  keys: readonly KeyAt[],
  now: number,
): Promise<Map<string, AtGateways>> {
  const found = new Map<string, AtGateways>();
  const key_ids = JSON.stringify(keys.map(({ key_id }) => key_id));
  const rows = (await troubledAtGateways(db, { org_id, key_ids })).filter(({ kind, reason }) =>
    !checksWithKeydesk(kind, reason)
  );
  if (rows.length === 0) return found;
  const troubled = new Set(rows.map(({ key_id }) => key_id));
  const plansOf = new Map(
    keys.filter(({ key_id }) => troubled.has(key_id)).map(({ key_id, plans }) => [key_id, plans]),
  );
  const isOf = await sharedPlans(db, org_id, rows, plansOf);
  for (const [key_id, those] of Map.groupBy(rows, (row) => row.key_id)) {
    const problems: AtGateway[] = [];
    let gateways = Math.max(...those.map((row) => Number(row.gateways)));
    for (const row of those.toSorted(byName)) {
      const { gateway_id, gateway, since } = row;
      const opens = isOpenThere(row);
      // One of other plans is to have it no more, and does not wait for that to open it.
      if (!opens && !isOf(row.plans, plansOf.get(key_id) ?? "[]")) {
        gateways--;
        continue;
      }
      const may_be_valid_until = mayOpenUntil(row) ?? null;
      problems.push({
        gateway_id,
        gateway,
        state: problemAt(row, now),
        since,
        valid: opens,
        may_be_valid_until,
      });
    }
    if (problems.length > 0) found.set(key_id, { problems, gateways });
  }
  return found;
}

function byName(a: { gateway: string }, b: { gateway: string }): number {
  return a.gateway < b.gateway ? -1 : 1;
}

function problemAt(row: { state: string; since: string; held: string }, now: number) {
  if (isClosing(row)) return "closing";
  const { state, since } = row;
  const isLate = state === "waiting" && now - Date.parse(since) > LATE_MS;
  // as: of other states no row was asked for.
  return isLate ? "late" : state as GatewayProblem;
}

/** Tells whether a gateway holds keys of one of these plans; both are texts as rows have them. */
async function sharedPlans(
  db: Connection,
  org_id: string,
  gateways: readonly { readonly plans: string | null }[],
  keys: ReadonlyMap<string, string>,
): Promise<(ofGateway: string | null, ofKey: string) => boolean> {
  const ofSome = gateways.flatMap(({ plans }) => plans ?? []);
  if (ofSome.length === 0) return () => true;
  // A plan has two ids, and either may name it.
  const named = new Set([...ofSome, ...keys.values()].flatMap(idsIn));
  const known = await planIdsOf(db, org_id, [...named]);
  const plansIn = (text: string) => idsIn(text).map((id) => known.get(id)?._id ?? id);
  return (ofGateway, ofKey) => {
    if (ofGateway === null) return true;
    const theirs = plansIn(ofKey);
    return plansIn(ofGateway).some((id) => theirs.includes(id));
  };
}

function idsIn(text: string): string[] {
  // as: gateways and keys store plans as arrays of ids.
  return JSON.parse(text) as string[];
}
