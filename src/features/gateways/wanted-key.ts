import type { UnknownPlanChoice } from "../../calls/context.ts";
import type { PlanRules } from "../plans/plan.ts";
import { type CallLimit, type KeyConditions, lowerLimit } from "../keys/key-conditions.ts";
import type { GatewayRow, KeptLimits, PlanNames, Wanted } from "./gateway.ts";
import { type HashedKey, limitFor, type Unmapped, unmappedFor } from "./hashes/map-entry.ts";
import type { MapSettings } from "./hashes/map-settings.ts";

/** The data of a key that determine its desired state at a gateway. */
interface PresentKey extends HashedKey {
  readonly state: "active" | "suspended" | "revoked";
  readonly plans: readonly string[];
  /** Null: none, or they can't be read, and then `isWhole` is false. */
  readonly conditions: KeyConditions | null;
  /** False: its row is not as it was written, so nothing may open by it. */
  readonly isWhole: boolean;
}

/** A plan with both of its ids: `id` is the interface's `_id`, `given_id` its `id`. */
export type KnownPlan = PlanRules & { given_id: string };

/** A plan that a key names, with what it says; undefined: the organisation never had it. */
export type NamedPlan = readonly [name: string, rules: KnownPlan | undefined];

/** The conditions that a kind of gateway can enforce; a date to review a key closes nothing. */
const KEPT_CONDITIONS: Readonly<Record<GatewayRow["kind"], readonly (keyof KeyConditions)[]>> = {
  tyk: ["rate", "quota", "review_at"],
  hashes: [],
};

/** Why a key is not brought to a gateway although it is active. */
export type Unfit = "conditions" | "damaged" | Unmapped;

/**
 * The desired state at a gateway of keys of `ofPlans`, null: of all. `unfit`: why it is valid for
 * less there than in Keydesk; else "".
 */
export function wantedOf(
  key: PresentKey | undefined,
  plans: readonly NamedPlan[],
  { kind, ofPlans, unknownPlan, map }: {
    kind: GatewayRow["kind"];
    ofPlans: readonly string[] | null;
    unknownPlan: UnknownPlanChoice;
    /** Of a gateway that goes by hashes. */
    map: MapSettings | undefined;
  },
): { wanted: Wanted; unfit: Unfit | "" } {
  if (!key || key.state === "revoked") return { wanted: { is: "absent" }, unfit: "" };
  const here = plans.filter((plan) =>
    ofPlans === null || namesOf(plan).some((one) => ofPlans.includes(one))
  );
  if (here.length === 0) return { wanted: { is: "absent" }, unfit: "" };
  const live = here.filter(([, rules]) =>
    rules ? rules.active && !rules.deleted : unknownPlan === "allow"
  );
  const closed = { is: "closed", plans: here.map(namesOf) } as const;
  if (key.state === "suspended" || live.length === 0) return { wanted: closed, unfit: "" };
  if (!key.isWhole) return { wanted: closed, unfit: "damaged" };
  // The gateway could not enforce its conditions.
  if (!keepsConditions(key, kind)) return { wanted: { is: "absent" }, unfit: "conditions" };
  const expires = key.expires_at === null ? 0 : Math.floor(Date.parse(key.expires_at) / 1000);
  const limits = limitsOf(key.conditions, live);
  const open = { is: "open", plans: live.map(namesOf), expires, limits } as const;
  return map ? mapped(key, open, live, { map, unknownPlan }) : { wanted: open, unfit: "" };
}

/**
 * The desired state at a gateway that goes by hashes: of plans that are valid for its API, with its
 * own count.
 */
function mapped(
  key: PresentKey,
  open: Extract<Wanted, { is: "open" }>,
  live: readonly NamedPlan[],
  { map, unknownPlan }: { map: MapSettings; unknownPlan: UnknownPlanChoice },
): { wanted: Wanted; unfit: Unfit | "" } {
  const limit = limitFor(live, map, unknownPlan);
  const unfit = limit ? unmappedFor(key, map) : "";
  if (!limit || unfit !== "") return { wanted: { is: "absent" }, unfit };
  return { wanted: { ...open, limit }, unfit: "" };
}

/** An OAuth client is there with its plan alone, which its tokens go by. */
function keepsConditions(
  { kind: keyKind, conditions }: PresentKey,
  kind: GatewayRow["kind"],
): boolean {
  const keptConditions: readonly string[] = keyKind === "oauth"
    ? ["review_at"]
    : KEPT_CONDITIONS[kind];
  return Object.entries(conditions ?? {}).every(([name, one]) =>
    one === null || keptConditions.includes(name)
  );
}

/**
 * The lower of a key's own limits and the most generous of its plans', as the gateway itself goes
 * by the most generous of several.
 */
function limitsOf(own: KeyConditions | null, plans: readonly NamedPlan[]): KeptLimits | null {
  if (!own?.rate && !own?.quota) return null;
  const rates = plans.map(([, rules]) => ({ calls: rules?.rate ?? 0, seconds: rules?.per ?? 0 }));
  const quotas = plans.map(([, rules]) => ({
    calls: rules?.quota_max ?? 0,
    seconds: rules?.quota_renewal_rate ?? 0,
  }));
  return {
    rate: lowerLimit(own.rate, mostGenerous(rates)),
    quota: lowerLimit(own.quota, mostGenerous(quotas)),
  };
}

const NONE: CallLimit = { calls: 0, seconds: 0 };

function mostGenerous(limits: readonly CallLimit[]): CallLimit {
  const [first = NONE, ...others] = limits.map(({ calls, seconds }) =>
    calls > 0 ? { calls, seconds: Math.max(0, seconds) } : NONE
  );
  return others.reduce((best, one) => lowerLimit(one, best) === best ? one : best, first);
}

function namesOf([name, rules]: NamedPlan): PlanNames {
  const others = rules ? [rules.id, rules.given_id] : [];
  return [name, ...new Set(others.filter((one) => one !== name))];
}
