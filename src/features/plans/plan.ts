import { Failure } from "../../kernel/failure.ts";

/** How a plan's keys are presented. */
export type AuthType = "authToken" | "basic" | "oauth" | "keyless";

/** Reads an auth type as catalogue entries and plans carry it; a value that nobody knows counts as `authToken`. */
export function toAuthType(text: string): AuthType {
  return text === "basic" || text === "oauth" || text === "keyless" ? text : "authToken";
}

/**
 * The one auth type of plans that one key is for. Throws `keyless_plan` when one of them needs no key, and
 * `mixed_auth_types` when they differ. `oauth`: an OAuth client is asked for.
 */
export function commonAuthType(types: readonly AuthType[], oauth: boolean): AuthType {
  if (types.includes("keyless")) throw new Failure("keyless_plan");
  const [first = "authToken"] = types;
  if (types.some((type) => type !== first)) throw new Failure("mixed_auth_types");
  return oauth ? "oauth" : first;
}

/** Setting: `open` takes any developer and plan id, `strict` refuses those that nobody knows. */
export type References = "open" | "strict";

/** The members of a plan's object; `_id` and `id` are the same. */
export interface Plan {
  _id: string;
  id: string;
  name: string;
  active: boolean;
  /** Calls allowed within `per` seconds; no limit where either is 0 or -1. */
  rate: number;
  per: number;
  /** Calls allowed within `quota_renewal_rate` seconds; no limit where it is 0 or -1. */
  quota_max: number;
  /** Seconds; 0 or -1: the quota is never renewed. */
  quota_renewal_rate: number;
  /** By API id. */
  access_rights: Record<string, Record<string, unknown>>;
  auth_type: string;
  tags: string[];
  /** Seconds that a key lives from its issue; 0 or -1: it does not expire. */
  key_expires_in: number;
}

/** What a client may set of a plan; what is left out stays. */
export type PlanChange = { [K in Exclude<keyof Plan, "_id" | "id">]?: Plan[K] | undefined };

/** A plan after a change. Throws `invalid_input` for a rate without a time in which it is counted. */
export function changedPlan(before: Plan, change: PlanChange): Plan {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  const after: Plan = { ...before, ...Object.fromEntries(given) };
  if (after.rate > 0 && after.per <= 0) {
    const message = "per: expected more than 0 where rate is";
    throw new Failure("invalid_input", { message, details: [message] });
  }
  return after;
}

/** What a plan allows, as verification goes by it. The numbers mean what they mean in Plan. */
export interface PlanRules {
  id: string;
  /** False: its keys open nothing for now. */
  active: boolean;
  /** True: the plan is gone, and its keys open nothing. */
  deleted: boolean;
  auth_type: AuthType;
  rate: number;
  per: number;
  quota_max: number;
  quota_renewal_rate: number;
  /** The ids of the APIs that it opens. */
  access_rights: string[];
  key_expires_in: number;
  tags: string[];
}

/** A plan that was sent with nothing but an id and a name. */
export function emptyPlan(id: string, name: string): Plan {
  return {
    _id: id,
    id,
    name,
    active: true,
    rate: 0,
    per: 0,
    quota_max: -1,
    quota_renewal_rate: 0,
    access_rights: {},
    auth_type: "authToken",
    tags: [],
    key_expires_in: 0,
  };
}

/** The rules of a stored plan. */
export function rulesOf(plan: Plan, deleted: boolean): PlanRules {
  const { id, active, rate, per, quota_max, quota_renewal_rate, key_expires_in, tags } = plan;
  return {
    ...{ id, active, deleted, auth_type: toAuthType(plan.auth_type), rate, per, quota_max },
    ...{ quota_renewal_rate, access_rights: Object.keys(plan.access_rights) },
    ...{ key_expires_in, tags },
  };
}

/** When keys of these plans end that are issued now: the shortest life counts. Null: never. */
export function expiryOf(livesSeconds: readonly number[], nowMs: number): string | null {
  const lives = livesSeconds.filter((seconds) => seconds > 0);
  const end = nowMs + Math.min(...lives) * 1000;
  // A life past the year 9999 is none that could end.
  return lives.length === 0 || end > LAST_MS ? null : new Date(end).toISOString();
}

const LAST_MS = Date.UTC(9999, 11, 31);
