import { OPENS_MORE } from "../../../contract/gateway-states.ts";
import type { KeptLimits } from "../gateway.ts";
import { Stuck } from "../kind.ts";
import { membersOf } from "./tyk-calls.ts";
import type { Policy } from "./tyk-policies.ts";

/** An end in the past is ignored there; this one is not. */
export const ENDED = 1;

/** The synced terms of a session: policies and an expiry, or limits and rights of its own. */
export interface Terms {
  readonly apply_policies: readonly string[];
  readonly expires: number;
  /** The certificate that it is pinned to. */
  readonly certificate?: string;
  readonly rate?: number;
  readonly per?: number;
  readonly quota_max?: number;
  readonly quota_renewal_rate?: number;
  readonly access_rights?: Readonly<Record<string, unknown>>;
}

/**
 * Limits of a session's own, with what these policies open. Throws Stuck where the gateway would go
 * by other limits, or open everything.
 */
export function limitTerms({ rate, quota }: KeptLimits, policies: readonly Policy[]) {
  const access_rights: Record<string, unknown> = {};
  for (const { rights } of policies) {
    for (const [api, right] of Object.entries(rights)) {
      // A limit for one API goes before those of the session.
      if (hasLimit(membersOf(right).limit)) throw new Stuck("conditions");
      access_rights[api] = right;
    }
  }
  // A session without policies and rights opens every API there.
  if (Object.keys(access_rights).length === 0) throw new Stuck("conditions");
  return {
    rate: rate.calls > 0 ? rate.calls : -1,
    per: rate.calls > 0 ? rate.seconds : -1,
    quota_max: quota.calls > 0 ? quota.calls : -1,
    quota_renewal_rate: quota.calls > 0 && quota.seconds > 0 ? quota.seconds : -1,
    access_rights,
  };
}

function hasLimit(limit: unknown): boolean {
  return Object.values(membersOf(limit)).some((one) => typeof one === "number" && one > 0);
}

/**
 * The difference of a session from its desired state, for people to read; "": none. It begins with
 * OPENS_MORE if the session is valid for something that is not desired.
 */
export function differencesOf(
  session: Readonly<Record<string, unknown>>,
  { apply_policies, access_rights, ...numbers }: Terms,
  isClosed: boolean,
): string {
  let isMore = false;
  const said = Object.entries(numbers).flatMap(([name, here]) => {
    const there = session[name];
    if (zeroed(name, there) === zeroed(name, here)) return [];
    isMore ||= opensMore(name, zeroed(name, there), zeroed(name, here));
    return [`${SAID[name] ?? name} ${there ?? "none"} there, ${here} here`];
  });
  // The rights of a closed key do not matter.
  if (isClosed) return said.join("; ");
  const differ = (what: string, there: readonly string[], here: readonly string[]) => {
    if (isSame(there, here)) return;
    isMore ||= there.some((one) => !here.includes(one));
    said.push(`${what} ${listed(there)} there, ${listed(here)} here`);
  };
  const policies = Array.isArray(session.apply_policies) ? session.apply_policies.map(String) : [];
  differ("plans", policies, apply_policies);
  if (access_rights) {
    differ("APIs", Object.keys(membersOf(session.access_rights)), Object.keys(access_rights));
  }
  return isMore ? OPENS_MORE + said.join("; ") : said.join("; ");
}

/** Whether a member opens more there, where it means another thing than here; 0 is no limit. */
function opensMore(name: string, there: unknown, here: unknown): boolean {
  // Another certificate opens, or any.
  if (name === "certificate") return true;
  const [most, wanted] = [Number(there), Number(here)];
  // Of calls in a longer time there are fewer.
  if (name === "per" || name === "quota_renewal_rate") return most < wanted;
  return wanted > 0 && (most === 0 || most > wanted);
}

/**
 * The meaning of a session's member: the gateway leaves out zeros. An expiry or a limit below zero
 * means none.
 */
function zeroed(name: string, value: unknown): unknown {
  if (name === "certificate") return value ?? "";
  return typeof value === "number" ? Math.max(0, value) : value ?? 0;
}

const SAID: Readonly<Record<string, string>> = { expires: "ends at" };

function listed(names: readonly string[]): string {
  return names.join(", ") || "none";
}

function isSame(there: readonly string[], here: readonly string[]): boolean {
  return there.length === here.length && here.every((one) => there.includes(one));
}
